/** Operations on the hostnames of a workspace: what an administrator gives to it or shares with it, and what came with its proxies. */
import { FORMS, withoutEndSlash } from '../../api-management/render/forms.ts'
import { HttpError } from '../../http/http-error.ts'
import { isObject, type Json } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { Change, HostnameClaim } from '../../store/store.ts'
import { type Call, refused, refusedAt } from './call.ts'
import { eventOf } from './events.ts'
import type { HandlerOptions, Planners } from './planner.ts'
import { ANY_HOSTNAME, printHostname } from './tenants.ts'
import { workspaceOf } from './workspaces.ts'

/** The rule of what is wrong with them. */
const RULE = 'tenancy'

/** Plans them. */
export function createHostnames({ store, wallClock }: HandlerOptions) {
  return {
    async readHostnames(call) {
      const { name } = await workspaceOf(store, call)
      return { reply: { status: 200, body: { items: (await store.claimsOf(name)).map(shown) } } }
    },
    async changeHostnames(call) {
      const { name: workspace } = await workspaceOf(store, call)
      const wanted = claimsIn(call, workspace)
      const before = await store.claimsOf(workspace)
      const owners = (await store.claimsOn(wanted.map(nameIn))).filter(
        ({ workspace: other, pathPrefixes, isAssigned }) =>
          other !== workspace && pathPrefixes === undefined && isAssigned,
      )
      const taken = wanted.findIndex(
        ({ hostname, pathPrefixes }) => pathPrefixes === undefined && owners.some((one) => one.hostname === hostname),
      )
      const owner = owners.find(({ hostname }) => hostname === wanted[taken]?.hostname)
      if (owner) throw ownedByOther(owner, taken)
      const isWanted = (hostname: string) => wanted.some((one) => one.hostname === hostname)
      const gone = before.filter(({ hostname, isAssigned }) => isAssigned && !isWanted(hostname))
      const first = new Map([...(await store.proxiesOn(gone.map(nameIn)))].reverse().map((one) => [one.hostname, one]))
      // What is not given any longer falls to those whose proxy was first.
      const kept = gone.filter(({ hostname }) => hostname !== '' && first.get(hostname)?.workspace === workspace)
      const left = [
        ...before.filter(({ isAssigned }) => !isAssigned),
        ...kept.map((one) => ({ ...one, pathPrefixes: undefined, isAssigned: false })),
      ]
      const after = [...wanted, ...left.filter(({ hostname }) => !isWanted(hostname))]
      const items = [...after].sort((a, b) => (a.hostname < b.hostname ? -1 : 1)).map(shown)
      const reply = { status: 200, body: { items } }
      if (isSameValue(items, before.map(shown))) return { reply }
      const changes: readonly Change[] = [
        ...gone.map(({ hostname }): Change => ({ unclaim: hostname, workspace, ifUnused: false })),
        ...after.map((claim): Change => ({ claim })),
        eventOf('workspace.hostnames', wallClock(), workspace, { by: call.principal.name }),
      ]
      return { reply, changes }
    },
  } satisfies Planners
}

const nameIn = ({ hostname }: HostnameClaim): string => hostname

const shown = ({ hostname, pathPrefixes, isAssigned }: HostnameClaim) => ({
  hostname: printHostname(hostname),
  ...(pathPrefixes ? { pathPrefixes } : {}),
  assigned: isAssigned,
})

/** The claims that a body assigns. Throws 400. */
function claimsIn({ body, bodyErrors }: Call, workspace: string): readonly HostnameClaim[] {
  if (bodyErrors.length > 0) throw refused(bodyErrors)
  const items: readonly Json[] = Array.isArray(body.items) ? body.items : []
  const seen = new Set<string>()
  return items.flatMap((item, index) => {
    // As it was read: it came with a proxy.
    if (!isObject(item) || item.assigned === false) return []
    const pointer = `/items/${index}/hostname`
    const written = String(item.hostname)
    const hostname = written === ANY_HOSTNAME ? '' : written.toLowerCase()
    if (hostname !== '' && !FORMS.hostname.test(hostname))
      throw refusedAt(
        pointer,
        `${JSON.stringify(written)} is not a hostname`,
        'Write a hostname such as "api.example.com".',
        RULE,
      )
    if (seen.has(hostname))
      throw refusedAt(pointer, `${printHostname(hostname)} is there twice`, 'Write it once.', RULE)
    seen.add(hostname)
    return [{ hostname, workspace, pathPrefixes: prefixesIn(item.pathPrefixes, index), isAssigned: true }]
  })
}

function prefixesIn(value: Json | undefined, index: number): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined
  return value.map((prefix, position) => {
    if (typeof prefix === 'string' && FORMS.basePath.test(prefix)) return withoutEndSlash(prefix) || '/'
    const pointer = `/items/${index}/pathPrefixes/${position}`
    throw refusedAt(
      pointer,
      `${JSON.stringify(prefix)} is not ${FORMS.basePath.what}`,
      'Write a path such as "/v1/shop".',
      RULE,
    )
  })
}

function ownedByOther({ hostname, workspace }: HostnameClaim, index: number): HttpError {
  const message = `the hostname ${printHostname(hostname)} belongs to the workspace ${workspace}`
  const remedy = `Take it from there first: PUT /services/workspaces/${workspace}/hostnames. Or share it: write pathPrefixes.`
  const errors = [{ rule: RULE, pointer: `/items/${index}/hostname`, message, remedy }]
  return new HttpError(409, message, { extensions: { errors } })
}
