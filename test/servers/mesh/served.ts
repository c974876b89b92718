/** The API of the mesh over a state file in a folder of its own. */
import { join } from 'node:path'
import request, { type Test } from 'supertest'
import { onTestFinished } from 'vitest'
import { openMeshState } from '../../../src/cli/serve/mesh-state.ts'
import type { Access } from '../../../src/http/delegated-access.ts'
import { createMetrics } from '../../../src/http/metrics.ts'
import { apiNames, DEFAULT_NAME_PARTS } from '../../../src/kubernetes/api-groups.ts'
import { tokenAccess } from '../../../src/servers/mesh/access.ts'
import { createMeshApp, type MeshOptions } from '../../../src/servers/mesh/app.ts'
import { createMeshMetrics } from '../../../src/servers/mesh/metrics.ts'
import { NOTHING_RUNS } from '../../../src/servers/mesh/state.ts'
import { createFolder } from '../../files/folder.ts'

export const BASE = '/apis/nsm.nginx.com/v1alpha1'
const TOKEN = 'a-token-for-tests-only'
const silent = () => {}

/** What is another one than usual. */
export type Served = Partial<MeshOptions> & { readonly file?: string }

/** A server whose state file is closed after the test. Requests have the token. */
export function serve({ file = join(createFolder(), 'mesh-config.json'), ...options }: Served = {}) {
  const lines: Readonly<Record<string, unknown>>[] = []
  const info = (fields: Readonly<Record<string, unknown>>) => void lines.push(fields)
  const log = { debug: silent, info, warn: info, error: info }
  const names = options.names ?? apiNames(DEFAULT_NAME_PARTS)
  const state = openMeshState(file, { names, log })
  let isOpen = true
  const close = () => {
    if (isOpen) state.close()
    isOpen = false
  }
  onTestFinished(close)
  const app = createMeshApp({
    ...{ names, log, access: tokenAccess(TOKEN), config: state.config, state: NOTHING_RUNS, version: '0.0.0' },
    metrics: createMeshMetrics(createMetrics('0.0.0')),
    isClosing: () => false,
    notReady: () => undefined,
    ...options,
  })
  const send = (method: 'get' | 'post' | 'put' | 'patch' | 'delete' | 'head' | 'options', path: string): Test =>
    request(app)[method](path).set('authorization', `Bearer ${TOKEN}`)
  return {
    app,
    lines,
    names,
    close,
    send,
    get: (path: string) => send('get', path),
    patch: (body: unknown) =>
      send('patch', `${BASE}/config`)
        .set('content-type', 'application/json')
        .send(typeof body === 'string' ? body : JSON.stringify(body)),
    inject: () => send('post', `${BASE}/inject`),
  }
}

/** A user who may do what a function says. */
export const accessOf = (username: string, allows: (verb: string, resource: string) => boolean): Access => ({
  authenticate: async () => ({ username, groups: ['system:authenticated'], extra: {} }),
  authorize: async (_user, { verb, resource, path }) => ({ allowed: allows(verb, resource || path), reason: '' }),
})
