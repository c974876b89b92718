/** The management API by transcripts, with the workspace `team`. Its time stands still. */
import { describeTranscripts } from '../../support/transcripts.ts'
import { playRequests } from '../transcripts.ts'
import { serve, TEAM } from './served.ts'

describeTranscripts(
  new URL('../../fixtures/http/api-management/', import.meta.url),
  playRequests(() => {
    let now = Date.parse('2026-01-02T03:04:05.000Z')
    const server = serve({ wallClock: () => now })
    return {
      send: (method, path, body, headers) =>
        server.send(method === 'options' ? 'head' : method, path, { body: body === '' ? undefined : body, headers }),
      paths: {
        team: TEAM,
        workspaces: '/services/workspaces',
        environments: '/infrastructure/workspaces/team/environments',
      },
      wait: (seconds) => {
        now += seconds * 1000
      },
    }
  }),
)
