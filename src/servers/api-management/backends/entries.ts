/** Operations on the backends of a workspace: the hosts to which its editors may let proxies pass requests. */
import type { BlockList } from 'node:net'
import { FORMS } from '../../../api-management/render/forms.ts'
import type { Change } from '../../../store/store.ts'
import { type Call, refused, refusedAt } from '../call.ts'
import { eventOf } from '../events.ts'
import type { HandlerOptions, Planners } from '../planner.ts'
import { workspaceOf } from '../workspaces.ts'
import { readRange } from './addresses.ts'

/** One entry of the list. */
export type Entry = {
  /** In lower case, `*.shop.example` for all names below, or `*` for every host. */
  readonly name?: string
  readonly range?: BlockList
  /** Undefined for every port. */
  readonly port: number | undefined
}

/** With a port, an address of IPv6 is in brackets. */
const ENTRY = /^(?:\[(?<inBrackets>[^\]]+)\]|(?<plain>[^:]+))(?::(?<digits>\d{1,5}))?$/

/** Reads an entry: a name, an address or a range, with a port or without one; undefined for another text. */
export function readEntry(text: string): Entry | undefined {
  const { inBrackets, plain, digits } = ENTRY.exec(text)?.groups ?? {}
  const port = digits === undefined ? undefined : Number(digits)
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined
  const host = inBrackets ?? plain ?? text
  const range = readRange(host)
  if (range) return { range, port }
  const name = host.toLowerCase()
  return inBrackets === undefined && (name === '*' || FORMS.hostname.test(name)) ? { name, port } : undefined
}

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
    throw refusedAt(`/allowed/${index}`, `${JSON.stringify(entry)} is neither a name nor a range of addresses`, remedy)
  })
}
