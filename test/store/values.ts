/** Changes for tests of the store. */
import type { Change, StoredProxy } from '../../src/store/store.ts'

export const newWorkspace = (name: string): readonly Change[] => [
  { put: 'workspace', value: { name, requireIfMatch: false, revision: 1 }, expected: undefined },
  {
    put: 'environment',
    value: { workspace: name, name: 'default', gateways: [], policies: {}, revision: 1 },
    expected: undefined,
  },
]

export const proxyValue = (workspace: string, name: string, more: Partial<StoredProxy> = {}): StoredProxy => ({
  ...{ workspace, name, hostname: '', version: 'v1', environment: 'default' },
  ...{ id: `id-${name}`, addresses: [`/${name}`], revision: 1, body: { name, filler: 'x'.repeat(500) } },
  ...{ state: 'CONFIGURING', reason: 'Publishing', message: '' },
  ...more,
})

/** A proxy with its history and an event, as one commit. */
export const newProxy = (workspace: string, name: string, more: Partial<StoredProxy> = {}): readonly Change[] => {
  const value = proxyValue(workspace, name, more)
  const { hostname, version, id, revision, body } = value
  const entry = { workspace, name, hostname, version, proxy: id, revision, at: 0, by: 'me', action: 'created' as const }
  return [
    { put: 'proxy', value, expected: undefined },
    { put: 'history', value: { ...entry, restoredFrom: undefined, body } },
    { put: 'event', value: { at: 0, type: 'proxy.created', workspace, data: { name } } },
  ]
}
