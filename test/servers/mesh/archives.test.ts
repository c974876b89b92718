/**
 * The API of the mesh by transcripts, with a token; `authorization: none` sends none. `PUT /server` starts another server
 * over the same file: its `vendor`, what the file `holds`, the `state` of the mesh, why it is `notReady`; the `user` who
 * sends all requests, the verbs and resources that are `allowed`, and what `fails`. `GET /file` reads the file, `GET /log`
 * has what was logged, and `GET /metrics/NAME` the metrics whose names begin so.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { createMetrics } from '../../../src/http/metrics.ts'
import { apiNames } from '../../../src/kubernetes/api-groups.ts'
import { createMeshMetrics } from '../../../src/servers/mesh/metrics.ts'
import type { MeshState } from '../../../src/servers/mesh/state.ts'
import { createFolder } from '../../files/folder.ts'
import { describeTranscripts } from '../../support/transcripts.ts'
import { playRequests, type Response } from '../transcripts.ts'
import { accessOf, BASE, type Served, serve } from './served.ts'

type Wishes = {
  readonly vendor?: string
  readonly holds?: string
  readonly notReady?: string
  readonly state?: {
    readonly services: ReturnType<MeshState['services']>
    readonly resources: ReturnType<MeshState['resources']>
    readonly versions: ReturnType<MeshState['versions']>
  }
  readonly user?: string
  readonly allowed?: readonly string[]
  readonly fails?: 'authenticate' | 'authorize'
}

const fails = () => Promise.reject(new Error('a secret of the cluster'))

function optionsOf({ vendor, state, notReady, user, allowed = [], fails: failing }: Wishes): Served {
  const access = user === undefined ? undefined : accessOf(user, (verb, what) => allowed.includes(`${verb} ${what}`))
  const { services, resources, versions } = state ?? {}
  return {
    ...(vendor === undefined ? {} : { names: apiNames({ vendor, platform: 'k8s' }) }),
    ...(services && resources && versions
      ? { state: { services: () => services, resources: () => resources, versions: () => versions } }
      : {}),
    ...(access ? { access: failing === undefined ? access : { ...access, [failing]: fails } } : {}),
    notReady: () => notReady,
  }
}

const shown = (status: number, text: string): Response => ({ status, headers: {}, text, body: {} })

describeTranscripts(
  new URL('../../fixtures/http/mesh/', import.meta.url),
  playRequests(() => {
    const file = join(createFolder(), 'mesh-config.json')
    let metrics = createMetrics('0.0.0')
    let server = serve({ file, metrics: createMeshMetrics(metrics) })

    function begin(wishes: Wishes): Response {
      server.close()
      metrics = createMetrics('0.0.0')
      if (wishes.holds !== undefined) writeFileSync(file, wishes.holds, 'latin1')
      try {
        server = serve({ file, metrics: createMeshMetrics(metrics), ...optionsOf(wishes) })
        return shown(204, '')
      } catch (error) {
        return shown(500, String(error).replace(file, 'FILE'))
      }
    }

    async function beside(path: string): Promise<Response | undefined> {
      if (path === '/file') return existsSync(file) ? shown(200, readFileSync(file, 'latin1')) : shown(404, '')
      if (path === '/log')
        return { ...shown(200, ''), headers: { 'content-type': 'application/json' }, body: server.lines }
      const [, metric] = path.split('/metrics/')
      if (metric === undefined) return undefined
      const lines = (await metrics.metrics()).split('\n')
      return shown(200, lines.filter((line) => line.startsWith(metric)).join('\n'))
    }

    return {
      send: async (method, path, body, headers) => {
        if (path === '/server') return begin(Object(load(body === '' ? '{}' : body)))
        const found = await beside(path)
        if (found) return found
        const type: Readonly<Record<string, string>> = body === '' ? {} : { 'content-type': 'application/json' }
        const request = server.send(method, path).set({ ...type, ...headers })
        if (headers.authorization === 'none') request.unset('authorization')
        return await (body === '' ? request : request.send(body))
      },
      paths: { base: BASE },
    }
  }),
)
