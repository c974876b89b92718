/**
 * The Gateways that can be rendered, their ports, and the routes that answer there under which hostnames. Source:
 * Gateway API, listeners and parentRefs.
 */

import { groupBy } from '../../text/group.ts'
import { compareText } from '../../text/order.ts'
import { whyDetached } from '../force/words.ts'
import type { NamespaceLookup } from '../lookups/lookups.ts'
import { type GatewayView, type ListenerView, type RouteView, readGateway } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { type AttachedListener, type Attachment, attachmentOf, namesGateway } from '../routing/attachment.ts'
import type { RouteWithHostnames } from '../routing/matches.ts'
import { titleOf } from './files.ts'

/** A Gateway by name; `view` is undefined where it is not known. */
export type NamedGateway = {
  readonly namespace: string
  readonly name: string
  readonly view: GatewayView | undefined
}

/** A Gateway as messages name it: `Gateway shop/storefront`. */
export const titleOfGateway = ({ namespace, name }: Pick<NamedGateway, 'namespace' | 'name'>): string =>
  `Gateway ${namespace}/${name}`

/** The objects that are Gateways or name one. */
type GatewayObjects = {
  readonly gateways: readonly GatewayView[]
  readonly routes: readonly RouteView[]
  readonly policies: readonly PolicyView[]
}

/** The Gateways among some objects, and those that others name, in order of namespace and name. Those whose namespace is not known are left out. */
export function gatewaysIn({ gateways, routes, policies }: GatewayObjects): readonly NamedGateway[] {
  const found = new Map<string, NamedGateway>()
  const add = (namespace: string | undefined, name: string | undefined, view?: GatewayView) => {
    if (namespace === undefined || name === undefined) return
    const key = `${namespace}/${name}`
    if (!found.has(key)) found.set(key, { namespace, name, view })
  }
  for (const view of gateways) add(view.identity.namespace, view.identity.name, view)
  for (const policy of policies)
    for (const { kind, name } of policy.namedTargets) if (kind === 'Gateway') add(policy.identity.namespace, name)
  for (const { identity, parents } of routes)
    for (const parent of parents.filter(namesGateway)) add(parent.namespace ?? identity.namespace, parent.name)
  return [...found.values()].sort(byName)
}

type Named = { readonly namespace?: string | undefined; readonly name?: string | undefined }

/** Order of namespaces, then of names. */
export const byName = (a: Named, b: Named): number =>
  compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name ?? '', b.name ?? '')

/** A port of a Gateway. */
export type Port = {
  readonly port: number
  readonly isTls: boolean
  /** The listeners on it, in the order of the Gateway. */
  readonly listeners: readonly ListenerView[]
  readonly routes: readonly RouteWithHostnames[]
}

/** The ports of a Gateway, and the routes that answer there. */
export type Listening = {
  readonly ports: readonly Port[]
  /** The routes that answer on any port, in order of namespace, name and kind. */
  readonly routes: readonly RouteView[]
  /** What was assumed, and what was left out. */
  readonly notes: readonly string[]
}

const PROTOCOLS: readonly (string | undefined)[] = ['HTTP', 'HTTPS']

/** Finds out which routes answer where. `routes` are those that name the Gateway. */
export function listeningOf(
  gateway: NamedGateway,
  routes: readonly RouteView[],
  namespaces: NamespaceLookup,
): Listening {
  const sorted = [...routes].sort(
    (a, b) => byName(a.identity, b.identity) || compareText(a.identity.kind, b.identity.kind),
  )
  const { view, note } = knownOrAssumed(gateway, sorted)
  const notes = note === undefined ? [] : [note]
  const attached: AttachedRoute[] = []
  for (const route of sorted) {
    const attachment = attachmentOf(route, view, namespaces)
    const on = attachment.state === 'attached' ? attachment.listeners : assumedListeners(route, view, attachment)
    if (attachment.state !== 'attached') notes.push(attachmentNote(route, attachment))
    if (on.length > 0) attached.push({ route, on })
  }
  const { ports, leftOut } = portsOf(view)
  const byPort = groupBy(attached.flatMap(routesOnPorts), ({ key }) => key)
  return {
    ports: ports.map((port) => ({
      ...port,
      routes: (byPort.get(portKey(port.listeners[0])) ?? []).flatMap(({ route, on }) => routeOn(route, on)),
    })),
    routes: attached.map(({ route }) => route),
    notes: [...leftOut, ...notes],
  }
}

/** Where the Gateway is not known, or has no listeners of its own, the listeners are assumed that the routes name. */
function knownOrAssumed(
  { namespace, name, view }: NamedGateway,
  routes: readonly RouteView[],
): { readonly view: GatewayView; readonly note?: string } {
  if (view && view.listeners.length > 0) return { view }
  const listeners = new Map<string, { readonly name: string; readonly port: number }>()
  for (const { parents, identity } of routes)
    for (const parent of parents.filter(namesGateway)) {
      if (parent.name !== name || (parent.namespace ?? identity.namespace) !== namespace) continue
      const listener = { name: parent.sectionName ?? 'http', port: parent.port ?? 80 }
      listeners.set(JSON.stringify(listener), listener)
    }
  if (listeners.size === 0) listeners.set('', { name: 'http', port: 80 })
  const assumed = [...listeners.values()].map((listener) => ({
    ...listener,
    protocol: 'HTTP',
    allowedRoutes: { namespaces: { from: 'All' } },
  }))
  const ports = [...new Set(assumed.map(({ port }) => port))].join(', ')
  const why = view ? 'has no listeners of its own' : 'is not among the given manifests'
  return {
    view: readGateway({ metadata: { name, namespace }, spec: { listeners: assumed } }),
    note: `The Gateway ${why}. Assumed: a listener for HTTP on port ${ports} that accepts every route.`,
  }
}

function attachmentNote(route: RouteView, attachment: Exclude<Attachment, { state: 'attached' }>): string {
  if (attachment.state === 'unknown')
    return `${titleOf(route)} is assumed to be attached: it is not known whether a listener allows its namespace and kind.`
  return `${titleOf(route)} is not attached and left out: the Gateway ${whyDetached(attachment, route)}.`
}

/** The listeners that accept a route if they allow its namespace and kind, where that is not known. */
function assumedListeners(route: RouteView, view: GatewayView, { state }: Attachment): readonly AttachedListener[] {
  if (state !== 'unknown') return []
  const listeners = view.listeners.filter(({ protocol }) => PROTOCOLS.includes(protocol))
  const open = {
    ...view,
    listeners: listeners.map((listener) => ({ ...listener, from: 'All', kinds: undefined, isUncertain: false })),
  }
  const attachment = attachmentOf(route, open, { labels: () => ({ state: 'unknown' }) })
  return attachment.state === 'attached' ? attachment.listeners : []
}

type BarePort = Omit<Port, 'routes'>

/** The first listener of a port decides whether it is for HTTP or HTTPS. */
function portsOf({ listeners }: GatewayView): {
  readonly ports: readonly BarePort[]
  readonly leftOut: readonly string[]
} {
  const ports = new Map<number, { isTls: boolean; listeners: ListenerView[] }>()
  const leftOut: string[] = []
  for (const listener of listeners) {
    const { name = '(no name)', port, protocol } = listener
    const isTls = protocol === 'HTTPS'
    const known = port === undefined ? undefined : ports.get(port)
    if (port === undefined || !Number.isInteger(port) || port < 1 || port > 65_535)
      leftOut.push(`Listener ${name} is left out: it has no valid port.`)
    else if (!PROTOCOLS.includes(protocol))
      leftOut.push(`Listener ${name} is left out: limits apply only to HTTP and HTTPS.`)
    else if (known && known.isTls !== isTls)
      leftOut.push(`Listener ${name} is left out: another listener uses another protocol on port ${port}.`)
    else if (known) known.listeners.push(listener)
    else ports.set(port, { isTls, listeners: [listener] })
  }
  const sorted = [...ports].sort(([a], [b]) => a - b)
  return { ports: sorted.map(([port, rest]) => ({ port, ...rest })), leftOut }
}

/** Hostnames of the Gateway API that are also server names of nginx. */
const HOSTNAME = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

/** The listeners of a port have one protocol. */
const portKey = (listener: Pick<ListenerView, 'port' | 'protocol'> | undefined): string =>
  `${listener?.port} ${listener?.protocol}`

type AttachedRoute = { readonly route: RouteView; readonly on: readonly AttachedListener[] }

const routesOnPorts = ({ route, on }: AttachedRoute) =>
  [...groupBy(on, ({ listener }) => portKey(listener))].map(([key, here]) => ({ key, route, on: here }))

function routeOn(route: RouteView, on: readonly AttachedListener[]): readonly RouteWithHostnames[] {
  const hostnames = on.flatMap((one) => one.hostnames).filter((name) => name === '' || HOSTNAME.test(name))
  return hostnames.length === 0 ? [] : [{ route, hostnames: [...new Set(hostnames)] }]
}
