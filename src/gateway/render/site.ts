/** What the making of a complete configuration needs everywhere. */
import { isOlder } from '../../nginx/version.ts'
import type { RouteView } from '../objects/gateways-and-routes.ts'
import type { Upstreams } from './backends.ts'
import type { RouteLimits } from './blocks.ts'
import type { Conditions } from './conditions.ts'
import type { Node } from './nodes.ts'

/** Files of a certificate, as nginx finds them. */
export type Certificate = { readonly certificate: string; readonly key: string }

/** What a complete configuration is made for. */
export type SiteOptions = {
  /** `1.22.1`: directives differ by version. */
  readonly nginxVersion: string
  /** The address that servers listen on; empty for all. IPv6 in brackets. */
  readonly address: string
  /** Added to every port that `ports` does not name. */
  readonly portOffset: number
  /** Other ports to listen on, by the listener's own. */
  readonly ports: ReadonlyMap<number, number>
  /** Addresses of backends, by `[NAMESPACE/]SERVICE[:PORT]`. */
  readonly addresses: ReadonlyMap<string, string>
  /** Certificates by hostname or listener; undefined for the throw-away one. */
  readonly certificates: ReadonlyMap<string, Certificate> | undefined
}

/** How this nginx is told to speak HTTP/2: as a flag of `listen`, or by a directive of its own from 1.25.1 on. */
export type Http2 = 'listen' | 'directive'

/** What grows while servers are written. */
export type Site = {
  readonly options: SiteOptions
  readonly http2: Http2
  /** The ports that are listened on, by those of the listeners. */
  readonly listens: ReadonlyMap<number, number>
  readonly socketDir: string
  /** True where directives of a policy are included from its file. */
  readonly includes: boolean
  /** What makes the sockets of one Gateway differ from those of another. */
  readonly gateway: string
  limitsOf(route: RouteView): RouteLimits
  readonly conditions: Conditions
  readonly upstreams: Upstreams
  /** Inner servers, by socket. */
  readonly hops: Map<string, readonly Node[]>
  /** What the user has to mend. */
  readonly problems: string[]
}

/** How a version is told. */
export const http2Of = (nginxVersion: string): Http2 => (isOlder(nginxVersion, '1.25.1') ? 'listen' : 'directive')

/** The port that is listened on for that of a listener. */
export const listenPort = (port: number, { ports, portOffset }: Pick<SiteOptions, 'ports' | 'portOffset'>): number =>
  ports.get(port) ?? port + portOffset
