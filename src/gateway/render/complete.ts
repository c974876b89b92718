/** A whole nginx.conf for one Gateway: enough to test a configuration and to send requests to it. */
import { createUpstreams } from './backends.ts'
import { sectionNodes } from './block-nodes.ts'
import { throwAwayCertificate } from './certificate.ts'
import { createConditions } from './conditions.ts'
import type { Configuration } from './configuration.ts'
import { headerNodes } from './header.ts'
import { GRPC_HEADERS, PROXY_HEADERS } from './hops.ts'
import type { Listening } from './listeners.ts'
import { block, comment, directive, type Node, SPACE } from './nodes.ts'
import { portNodes } from './servers.ts'
import { http2Of, listenPort, type Site, type SiteOptions } from './site.ts'
import { variableNodes } from './variables.ts'

/** What a whole configuration is made for. */
export type CompleteOptions = SiteOptions & {
  readonly plus: boolean
  /** Lower-cased variables that configuration elsewhere defines, without `$`. */
  readonly defined: ReadonlySet<string>
  readonly socketDir: string
  /** True where directives of a policy are included from its file. */
  readonly includes: boolean
}

/** A configuration as pieces, and what it takes from the options. */
export type Complete = {
  readonly nodes: readonly Node[]
  /** What the user has to mend, each in one line. */
  readonly problems: readonly string[]
  /** The backends that there are, and the given addresses that were of use. */
  readonly backends: ReadonlySet<string>
  readonly used: ReadonlySet<string>
  /** Backends that would be this nginx itself. */
  readonly loops: readonly string[]
}

/** Writes the whole configuration of a Gateway. */
export function completeNodes(configuration: Configuration, options: CompleteOptions): Complete {
  const { gateway, listening, routes } = configuration
  const limits = new Map(routes.map((one) => [one.route, one]))
  const upstreams = createUpstreams(options.addresses)
  const site: Site = {
    options,
    http2: http2Of(options.nginxVersion),
    listens: new Map(listening.ports.map(({ port }) => [port, listenPort(port, options)])),
    socketDir: options.socketDir,
    includes: options.includes,
    gateway: `${gateway.namespace}/${gateway.name}`,
    limitsOf: (route) => limits.get(route) ?? { route, blocks: [], hop: undefined, notes: [] },
    conditions: createConditions(),
    upstreams,
    hops: new Map(),
    problems: portProblems(configuration, options),
  }
  const servers = listening.ports.flatMap((port) => portNodes(port, site))
  const http = [
    ...httpNodes(configuration, options, site),
    ...variableNodes(configuration.policies, options),
    ...site.conditions.nodes(),
    ...upstreams.nodes(),
    ...servers,
    ...[...site.hops.values()].flat(),
  ]
  const written = comment(`Written for nginx ${options.nginxVersion}; --nginx-version or the settings name another.`)
  const nodes = [...headerNodes(configuration), written, SPACE, ...MAIN, SPACE, block('http', http)]
  return {
    nodes,
    problems: site.problems,
    backends: upstreams.backends,
    used: upstreams.used,
    loops: loopsOf(configuration, options, upstreams.local),
  }
}

/** Relative paths are relative to the prefix, `nginx -p`. */
const MAIN: readonly Node[] = [
  directive('worker_processes auto'),
  directive('pid nginx.pid'),
  directive('error_log error.log info'),
  SPACE,
  block('events', [directive('worker_connections 1024')]),
]

/** One line a request: enough to replay it, and what the limits of its location said. Behind a hop they have a log of their own. */
const LOG_FORMAT =
  '\'$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent" "$host" $msec $request_time $limit_req_status\''

function httpNodes(
  { zones, http, listening }: Configuration,
  { certificates }: CompleteOptions,
  { includes, http2 }: Site,
): readonly Node[] {
  const isTls = listening.ports.some((port) => port.isTls)
  return [
    ...['client_body_temp_path client_body_temp', 'proxy_temp_path proxy_temp'].map(directive),
    ...['server_names_hash_bucket_size 512', 'server_names_hash_max_size 4096'].map(directive),
    ...['variables_hash_bucket_size 512', 'variables_hash_max_size 4096'].map(directive),
    directive(`log_format sluice ${LOG_FORMAT}`),
    directive('access_log access.log sluice'),
    ...(http2 === 'directive' && speaksHttp2(listening) ? [directive('http2 on')] : []),
    ...['proxy_http_version 1.1', ...PROXY_HEADERS, ...GRPC_HEADERS].map(directive),
    ...(isTls && !certificates ? [SPACE, ...throwAwayCertificate()] : []),
    ...sectionNodes('Zones', zones, includes),
    ...sectionNodes('Limits of the Gateway', http, includes),
  ]
}

/** TLS lets clients choose, and gRPC is nothing else. */
const speaksHttp2 = ({ ports }: Listening): boolean =>
  ports.some(({ isTls, routes }) => isTls || routes.some(({ route }) => route.identity.kind === 'GRPCRoute'))

/** Ports that cannot be listened on, and ports that two listeners would share. */
function portProblems({ listening }: Configuration, options: CompleteOptions): string[] {
  const taken = new Map<number, number>()
  return listening.ports.flatMap(({ port }) => {
    const at = listenPort(port, options)
    const other = taken.get(at)
    taken.set(at, port)
    if (at > 65_535 || at < 1) return [`port ${port} would become ${at}, which is none`]
    return other === undefined
      ? []
      : [`ports ${other} and ${port} would both become ${at}; give one another with --port`]
  })
}

/** Backends without an address of their own on a port that this nginx listens on. */
function loopsOf(
  { listening }: Configuration,
  options: CompleteOptions,
  local: ReadonlyMap<string, number>,
): readonly string[] {
  const own = new Set(listening.ports.map(({ port }) => listenPort(port, options)))
  return [...local].flatMap(([backend, port]) => (own.has(port) ? [backend] : []))
}
