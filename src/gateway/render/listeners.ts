/** The ports of a Gateway, and which routes answer there under which hostnames. Source: Gateway API, listeners and parentRefs. */

import type { NamespacesAround } from '../lookups.ts'
import { type GatewayView, type ListenerView, type RouteView, readGateway } from '../objects/gateways-and-routes.ts'
import { type Attachment, attachmentOf, namesGateway, type Refusal, type Via } from '../routing/attachment.ts'
import type { AttachedRoute } from '../routing/routing.ts'
import { byName, compareTexts, type NamedGateway } from './gateways.ts'
import { titleOf } from './policy-files.ts'

/** A port of a Gateway. */
export type Port = {
  readonly port: number
  readonly isTls: boolean
  /** The listeners on it, in the order of the Gateway. */
  readonly listeners: readonly ListenerView[]
  readonly routes: readonly AttachedRoute[]
}

/** Who answers where on a Gateway. */
export type Listening = {
  readonly ports: readonly Port[]
  /** The routes that answer anywhere, in order of namespace, name and kind. */
  readonly routes: readonly RouteView[]
  readonly notes: readonly string[]
}

const PROTOCOLS: readonly (string | undefined)[] = ['HTTP', 'HTTPS']

/** Says who answers where. `routes` are those that name the Gateway. */
export function listeningOf(
  gateway: NamedGateway,
  routes: readonly RouteView[],
  namespaces: NamespacesAround,
): Listening {
  const sorted = [...routes].sort(
    (a, b) => byName(a.identity, b.identity) || compareTexts(a.identity.kind, b.identity.kind),
  )
  const { view, note } = seenOrAssumed(gateway, sorted)
  const notes = note === undefined ? [] : [note]
  const attached: { readonly route: RouteView; readonly via: readonly Via[] }[] = []
  for (const route of sorted) {
    const attachment = attachmentOf(route, view, namespaces)
    const via = attachment.state === 'attached' ? attachment.via : assumedVia(route, view, attachment)
    if (attachment.state !== 'attached') notes.push(attachmentNote(route, attachment))
    if (via.length > 0) attached.push({ route, via })
  }
  const { ports, left } = portsOf(view)
  return {
    ports: ports.map((port) => ({ ...port, routes: attached.flatMap((one) => routesOn(port.listeners, one)) })),
    routes: attached.map(({ route }) => route),
    notes: [...left, ...notes],
  }
}

/** Where nobody has seen the Gateway, or it has no listener of its own, the routes say where they expect one. */
function seenOrAssumed(
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
  const why = view ? 'has no listener of its own' : 'is not in sight'
  return {
    view: readGateway({ metadata: { name, namespace }, spec: { listeners: assumed } }),
    note: `The Gateway ${why}: assumed is a listener for HTTP on port ${ports} that takes every route.`,
  }
}

const REASONS: Readonly<Record<Refusal, string>> = {
  'not-named': 'it does not name the Gateway',
  section: 'no listener has the name of its sectionName',
  port: 'no listener has its port',
  kind: 'no listener takes its kind',
  namespace: 'no listener takes its namespace',
  hostname: 'no listener has a hostname in common with it',
}

function attachmentNote(route: RouteView, attachment: Exclude<Attachment, { state: 'attached' }>): string {
  if (attachment.state === 'unknown')
    return `${titleOf(route)} is taken for attached: whether a listener admits its namespace or kind is not known here.`
  return `${titleOf(route)} is not attached and left out: ${REASONS[attachment.reason]}.`
}

/** The listeners that take a route if they admit its namespace and kind, which nobody here can say. */
function assumedVia(route: RouteView, view: GatewayView, { state }: Attachment): readonly Via[] {
  if (state !== 'unknown') return []
  const listeners = view.listeners.filter(({ protocol }) => PROTOCOLS.includes(protocol))
  const open = { ...view, listeners: listeners.map((listener) => ({ ...listener, from: 'All', kinds: undefined })) }
  const attachment = attachmentOf(route, open, { labels: () => ({ state: 'unknown' }) })
  return attachment.state === 'attached' ? attachment.via : []
}

type BarePort = Omit<Port, 'routes'>

/** One port speaks HTTP or HTTPS, as its first listener does. */
function portsOf({ listeners }: GatewayView): {
  readonly ports: readonly BarePort[]
  readonly left: readonly string[]
} {
  const ports = new Map<number, { isTls: boolean; listeners: ListenerView[] }>()
  const left: string[] = []
  for (const listener of listeners) {
    const { name = '(no name)', port, protocol } = listener
    const isTls = protocol === 'HTTPS'
    const known = port === undefined ? undefined : ports.get(port)
    if (port === undefined || !Number.isInteger(port) || port < 1 || port > 65_535)
      left.push(`Listener ${name} is left out: it has no port.`)
    else if (!PROTOCOLS.includes(protocol)) left.push(`Listener ${name} is left out: limits are for HTTP and HTTPS.`)
    else if (known && known.isTls !== isTls)
      left.push(`Listener ${name} is left out: another one speaks another protocol on port ${port}.`)
    else if (known) known.listeners.push(listener)
    else ports.set(port, { isTls, listeners: [listener] })
  }
  const sorted = [...ports].sort(([a], [b]) => a - b)
  return { ports: sorted.map(([port, rest]) => ({ port, ...rest })), left }
}

/** What nginx takes as a name of a server, as the Gateway API spells hostnames. */
const HOSTNAME = /^(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/i

function routesOn(
  listeners: readonly ListenerView[],
  { route, via }: { readonly route: RouteView; readonly via: readonly Via[] },
): readonly AttachedRoute[] {
  const here = via.filter(({ listener }) =>
    listeners.some(
      ({ name, port, protocol }) => name === listener.name && port === listener.port && protocol === listener.protocol,
    ),
  )
  const hostnames = here.flatMap((one) => one.hostnames).filter((name) => name === '' || HOSTNAME.test(name))
  return hostnames.length === 0 ? [] : [{ route, hostnames: [...new Set(hostnames)] }]
}
