/** The removal of a proxy, which its history outlives. */
import type { Change, ProxyHead } from '../../store/store.ts'
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
