/** The API of the mesh by transcripts, with a token. */
import { describeTranscripts } from '../../support/transcripts.ts'
import { playRequests } from '../transcripts.ts'
import { BASE, serve } from './served.ts'

describeTranscripts(
  new URL('../../fixtures/http/mesh/', import.meta.url),
  playRequests(() => {
    const server = serve()
    return {
      send: async (method, path, body, headers) => {
        const type: Readonly<Record<string, string>> = body === '' ? {} : { 'content-type': 'application/json' }
        const request = server.send(method, path).set({ ...type, ...headers })
        return await (body === '' ? request : request.send(body))
      },
      paths: { base: BASE },
    }
  }),
)
