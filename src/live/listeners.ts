/** Where the listeners of a Gateway answer, and requests that come to its limits. */
import { whyOutOfSight } from '../gateway/force/force.ts'
import type { NamedGateway } from '../gateway/render/listeners.ts'
import { listeningOf, type Port } from '../gateway/render/listeners.ts'
import { isUnconditional, routeRows } from '../gateway/routing/matches.ts'
import type { LiveWorld } from './world.ts'

/** A listener that answers. */
type LiveListener = {
  /** Its name; empty where it has none. */
  readonly name: string
  /** `http://127.0.0.1:18080` */
  readonly url: string
}

/** A request that a route takes. */
export type SampleRequest = {
  readonly protocol: 'http' | 'grpc'
  readonly isTls: boolean
  /** Undefined where the route answers under every name. */
  readonly hostname: string | undefined
  /** Of this machine. */
  readonly port: number
  readonly path: string
}

/** What a Gateway offers. */
export type Offer = {
  readonly listeners: readonly LiveListener[]
  /** The ports of its listeners. */
  readonly ports: readonly number[]
  /** A request for each route that takes one by its path alone, those with policies first. */
  readonly samples: readonly SampleRequest[]
  /** What was assumed, and what was left out, each in a sentence. */
  readonly notes: readonly string[]
}

/** What a Gateway offers on ports of this machine. `portOf` is asked for the port of a listener. */
export function offerOf(gateway: NamedGateway, { lookups }: LiveWorld, portOf: (port: number) => number): Offer {
  const attached = gateway.view ? lookups.routes.attachedTo(gateway.view).items : []
  const why = whyOutOfSight(gateway, lookups)
  const { ports, notes } = listeningOf(gateway, attached, lookups.namespaces)
  const targeted = ({ identity: { kind, namespace, name = '' } }: (typeof attached)[number]) =>
    lookups.policies.targeting(kind, namespace, name).items.length > 0
  const samples = ports.flatMap((port) => samplesOn(port, portOf(port.port)))
  return {
    ports: ports.map(({ port }) => port),
    listeners: ports.flatMap(({ port, isTls, listeners }) =>
      listeners.map(({ name = '' }) => ({ name, url: `${isTls ? 'https' : 'http'}://127.0.0.1:${portOf(port)}` })),
    ),
    samples: [
      ...samples.filter(({ route }) => targeted(route)),
      ...samples.filter(({ route }) => !targeted(route)),
    ].map(({ route: _, ...sample }) => sample),
    notes: [...(why === undefined ? [] : [`no RateLimitPolicy is in force: it ${why}`]), ...notes],
  }
}

function samplesOn({ routes, isTls }: Port, port: number) {
  const rows = routeRows(routes).filter(
    (row) => isUnconditional(row) && !row.redirects && row.path.type !== 'RegularExpression',
  )
  return routes.flatMap(({ route }, index) => {
    const row = rows.find((one) => one.route === index)
    if (!row) return []
    const protocol = route.identity.kind === 'GRPCRoute' ? ('grpc' as const) : ('http' as const)
    const hostname = row.hostname === '' ? undefined : row.hostname.replace('*.', 'any.')
    return [{ route, protocol, isTls, hostname, port, path: row.path.value }]
  })
}

/** A command for a shell that sends a request. */
export function commandFor({ protocol, isTls, hostname, port, path }: SampleRequest): string {
  if (protocol === 'grpc') {
    const flags = [isTls ? '-insecure' : '-plaintext', ...(hostname === undefined ? [] : ['-authority', hostname])]
    return `grpcurl ${flags.join(' ')} 127.0.0.1:${port} ${path.replace(/^\//, '')}`
  }
  const origin = `${isTls ? 'https' : 'http'}://${hostname ?? '127.0.0.1'}:${port}`
  const resolve = hostname === undefined ? '' : `--resolve ${hostname}:${port}:127.0.0.1 `
  return `curl ${isTls ? '-k ' : ''}${resolve}'${origin}${path.replaceAll("'", '%27')}'`
}
