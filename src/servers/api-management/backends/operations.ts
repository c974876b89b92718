/** Operations on the backends of a workspace: the hosts to which its editors may let proxies pass requests. */
import { isSameValue } from '../../../json/same.ts'
import type { Change } from '../../../store/store.ts'
import { type Call, refused, refusedAt } from '../call.ts'
import { eventOf } from '../events.ts'
import type { HandlerOptions, Planners } from '../planner.ts'
import { workspaceOf } from '../workspaces.ts'
import { readEntry } from './addresses.ts'

/** Plans them. */
export function createBackends({ store, wallClock }: HandlerOptions) {
  return {
    async readBackends(call) {
      const { name } = await workspaceOf(store, call)
      return { reply: { status: 200, body: { allowed: (await store.allowedBackends(name)) ?? EVERY } } }
    },
    async changeBackends(call) {
      const { name: workspace } = await workspaceOf(store, call)
      const allowed = entriesIn(call)
      const before = await store.allowedBackends(workspace)
      if (before && isSameValue(before, allowed)) return { reply: { status: 200, body: { allowed } } }
      const changes: readonly Change[] = [
        { allow: allowed, workspace },
        eventOf('workspace.backends', wallClock(), workspace, { by: call.principal.name }),
      ]
      return { reply: { status: 200, body: { allowed } }, changes }
    },
  } satisfies Planners
}

/** What applies before an administrator says anything. */
const EVERY: readonly string[] = ['*']

function entriesIn({ body, bodyErrors }: Call): readonly string[] {
  if (bodyErrors.length > 0) throw refused(bodyErrors)
  const allowed: readonly unknown[] = Array.isArray(body.allowed) ? body.allowed : []
  return allowed.map((entry, index) => {
    if (typeof entry === 'string' && readEntry(entry)) return entry
    const remedy = 'Write "*", "*.shop.internal", "orders.shop.internal:8080", "10.0.0.0/8" or "[fd00::/8]:8080".'
    const message = `${JSON.stringify(entry)} is neither a name nor a range of addresses`
    throw refusedAt(`/allowed/${index}`, message, remedy, 'backends')
  })
}
