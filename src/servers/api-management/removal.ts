/** What is kept of changes: the removal of a proxy, which its history outlives, and the history of environments. */
import type { Change, Environment, EnvironmentEntry, ProxyHead } from '../../store/store.ts'
import { eventOf } from './events.ts'
import { releaseOf } from './tenants.ts'

/** Who changes something, and when (milliseconds since 1970). */
export type Author = { readonly now: number; readonly by: string }

/** The changes that remove a proxy. */
export function removalOf(proxy: ProxyHead, { now, by }: Author): readonly Change[] {
  const { id, workspace, name, hostname, version, revision } = proxy
  const entry = {
    ...{ workspace, name, hostname, version, proxy: id, revision: revision + 1, at: now, by },
    action: 'deleted' as const,
    restoredFrom: undefined,
    body: undefined,
  }
  return [
    { remove: 'proxy', id, expected: revision },
    releaseOf(proxy),
    { put: 'history', value: entry },
    eventOf('proxy.deleted', now, workspace, { name, hostname, version, by, revision: revision + 1 }),
  ]
}

type Record = Pick<EnvironmentEntry, 'at' | 'by' | 'action'> & Partial<Pick<EnvironmentEntry, 'restoredFrom'>>

/** What is kept of a change of an environment. */
export function recordOf({ workspace, name, revision, gateways, policies }: Environment, record: Record): Change {
  const isGone = record.action === 'deleted'
  const [at, body] = isGone ? [revision + 1, undefined] : [revision, { gateways, policies }]
  const value = { restoredFrom: undefined, ...record, workspace, name, revision: at, body }
  return { put: 'environment-history', value }
}
