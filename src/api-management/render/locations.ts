/**
 * The locations of one proxy. All of them have all of its limits with the same zones, so that its routes share one budget.
 * Source: nginx, location, limit_req, proxy_pass, grpc_pass, error_page.
 */
import { block, directive, escapePattern, type Node, quoted, SPACE } from '../../nginx/nodes.ts'
import { codeEffect, reasonOf } from '../../nginx/responses.ts'
import { CONSUMER, type MappedLimit } from '../mapping.ts'
import type { Backend, Plan, Route } from './plan.ts'
import type { Site } from './published.ts'
import {
  COUNTED,
  clientVariable,
  correlationVariable,
  countedFormat,
  HOP_CONSUMER,
  hasKeyInQuery,
  logFormat,
  maskedFormat,
} from './variables.ts'

/** Everything that the locations of a proxy are made of. */
export type ProxyParts = {
  /** Its id, as in names of nginx. */
  readonly name: string
  readonly plan: Plan
  /** Its own limits, then those of its environment. */
  readonly limits: readonly MappedLimit[]
  /** True where they only count. */
  readonly dryRun: boolean
  /** The statuses of rejections. */
  readonly codes: { readonly http: number; readonly grpc: number }
  /** The header of the correlation id. */
  readonly header: string
  readonly site: Site
  /** The headers of rejections, in the locations that answer them. */
  readonly refusalHeaders: readonly Node[]
  /** What compares the key of a client, where the proxy asks for one. */
  readonly keys: readonly Node[]
}

/** The zone that counts requests without the key of a client, of all proxies, by address. */
export const GUESSES = { zone: 'unknown_api_keys', size: '1m', rate: '1r/s', burst: 9 } as const

/** The locations of a proxy, with those that its errors lead to. */
export function locationNodes(parts: ProxyParts): readonly Node[] {
  const { base, grpc, routes, backends } = parts.plan
  const main = backends.find(({ label }) => label === 'default') ?? backends[0]
  const other = (route: Route) => backends.find(({ label }) => label === route.label)
  /** A route needs a location of its own where it has another backend. */
  const inner = (all: readonly Route[], under: string, isGrpc: boolean) =>
    [...all].sort(byParameters).flatMap((route) => {
      const backend = other(route)
      if (!backend || backend === main) return []
      const head = `location ~ ${quoted(`^${escapePattern(under)}${patternOf(route.path)}/?$`)}`
      return [SPACE, block(head, servingNodes(parts, { backend, isGrpc, isPattern: true }))]
    })
  const serving = { backend: main, isGrpc: false, isPattern: false }
  const nodes: Node[] = []
  if (base !== undefined) {
    if (base !== '') nodes.push(block(`location = ${quoted(base)}`, servingNodes(parts, serving)), SPACE)
    const own = [...servingNodes(parts, serving), ...inner(routes, base, false)]
    nodes.push(block(`location ^~ ${quoted(`${base}/`)}`, own), SPACE)
  }
  if (grpc) {
    const own = servingNodes(parts, { ...serving, isGrpc: true })
    const methods = grpc.routes.map((route) => ({ ...route, path: `/${route.path}` }))
    nodes.push(block(`location ^~ /${grpc.service}/`, [...own, ...inner(methods, `/${grpc.service}`, true)]), SPACE)
  }
  return [...nodes, ...errorNodes(parts)]
}

/** A path with parameters as a pattern. */
const patternOf = (path: string): string =>
  path
    .replace(/\/$/, '')
    .split('/')
    .map((segment) => (segment.startsWith('{') ? '[^/]+' : escapePattern(segment)))
    .join('/')

/** nginx takes the first pattern that matches: paths with fewer parameters come first. */
const byParameters = (one: Route, two: Route): number => parametersOf(one) - parametersOf(two)
const parametersOf = ({ path }: Route): number => path.split('{').length

type Serving = {
  readonly backend: Backend | undefined
  /** True for a gRPC service; its backends get gRPC whatever they say. */
  readonly isGrpc: boolean
  /** True in a location with a pattern, where a directive cannot replace the path. */
  readonly isPattern: boolean
}

/** What is in each location that serves requests. */
function servingNodes(parts: ProxyParts, serving: Serving): readonly Node[] {
  const { name, plan, limits, codes } = parts
  const protocol = serving.isGrpc || serving.backend?.protocol === 'grpc' ? 'grpc' : 'http'
  const code = protocol === 'grpc' ? codes.grpc : codes.http
  const client = clientVariable(name)
  const isByConsumer = limits.some(({ key }) => key === CONSUMER)
  return [
    ...(plan.keys
      ? [
          ...parts.keys,
          block(`if (${client} = "")`, [
            directive(`error_page 418 = @sluice_${name}_no_client`),
            directive('return 418'),
          ]),
          ...(isByConsumer ? [directive(`set ${CONSUMER} ${client}`)] : []),
        ]
      : []),
    ...limits.map(({ zone, parameters }) => directive(['limit_req', `zone=${zone}`, ...parameters].join(' '))),
    ...(limits.length === 0 ? [] : [directive(`limit_req_status ${code}`)]),
    ...(parts.dryRun ? [directive('limit_req_dry_run on')] : []),
    ...errorPages(parts, limits.length === 0 ? [502] : [code, 502]),
    ...commonNodes(parts),
    ...passNodes(parts, { ...serving, protocol }),
  ]
}

const commonNodes = ({ name, plan, header, site }: ProxyParts): readonly Node[] => [
  directive(`add_header ${header} ${correlationVariable(header)} always`),
  directive(`access_log access.log ${hasKeyInQuery(plan.keys) ? maskedFormat(name) : logFormat(header)}`),
  ...(site.requestsLog === undefined
    ? []
    : [directive(`access_log ${site.requestsLog} ${countedFormat(name)} if=${COUNTED}`)]),
]

/** nginx closes the connection for some codes, whatever the page is. */
const hasPage = (code: number, { nginxVersion }: Site): boolean =>
  codeEffect(code, nginxVersion)?.kind !== 'closes-connection'

const errorPages = ({ name, site }: ProxyParts, codes: readonly number[]): readonly Node[] =>
  [...new Set(codes)]
    .filter((code) => hasPage(code, site))
    .map((code) => directive(`error_page ${code} @sluice_${name}_${code}`))

type Passing = Serving & { readonly protocol: 'http' | 'grpc' }

function passNodes({ name, plan, header, site }: ProxyParts, passing: Passing): readonly Node[] {
  const { backend, protocol, isPattern } = passing
  const [target] = backend?.targets ?? []
  // Unlike "return", this comes after the limits.
  if (!backend || !target) return [directive('try_files /sluice.no-backend =502')]
  const [prefix, scheme] = protocol === 'grpc' ? ['grpc', 'grpc'] : ['proxy', 'http']
  const upstream = `${scheme}${backend.isTls ? 's' : ''}://${upstreamName(name, plan, backend)}`
  const isStripped = plan.isStripped && Boolean(plan.base) && !passing.isGrpc
  const canReplace = protocol === 'http' && !isPattern
  // A path may contain a line break, as %0a.
  const pattern = quoted(`(?s)^${escapePattern(plan.base ?? '')}(?:/(.*))?$`)
  return [
    ...(isStripped && !canReplace ? [directive(`rewrite ${pattern} /$1 break`)] : []),
    ...requestHeaders(plan, { header, site, protocol, host: hostOf(backend, target) }).map(([field, value]) =>
      directive(`${prefix}_set_header ${field} ${value}`),
    ),
    directive(`${prefix}_hide_header ${header}`),
    ...(backend.isTls
      ? [directive(`${prefix}_ssl_server_name on`), directive(`${prefix}_ssl_name ${quoted(target.host)}`)]
      : []),
    directive(`${prefix}_pass ${upstream}${isStripped && canReplace ? '/' : ''}`),
  ]
}

/** The upstream of a backend. */
export const upstreamName = (name: string, { backends }: Plan, backend: Backend): string =>
  `sluice_${name}_backend${backends.indexOf(backend)}`

const hostOf = ({ isTls }: Backend, { host, port }: Backend['targets'][number]): string =>
  port === (isTls ? 443 : 80) ? host : `${host}:${port}`

type Headers = Pick<ProxyParts, 'header' | 'site'> & { readonly protocol: 'http' | 'grpc'; readonly host: string }

/** The headers of requests that are not passed as they came. An empty one is not passed. */
function requestHeaders({ keys = [] }: Plan, { header, site, protocol, host }: Headers) {
  const secret = keys.filter(({ suppliedIn, isForwarded }) => suppliedIn === 'HEADER' && !isForwarded)
  const headers: readonly (readonly [field: string, value: string])[] = [
    ['Host', quoted(host)],
    ['X-Real-IP', '$remote_addr'],
    ['X-Forwarded-For', '$proxy_add_x_forwarded_for'],
    ['X-Forwarded-Host', '$host'],
    ['X-Forwarded-Proto', '$scheme'],
    ...(protocol === 'grpc'
      ? []
      : ([
          ['Upgrade', '$http_upgrade'],
          ['Connection', '$connection_upgrade'],
        ] as const)),
    ...(site.hop ? ([[site.hop.consumerHeader, HOP_CONSUMER]] as const) : []),
    [header, correlationVariable(header)],
    ...secret.map(({ name }) => [name, '""'] as const),
  ]
  // The last of several fields with one name counts: a header that carries a key is never passed as something else.
  return [...new Map(headers.map((one) => [one[0].toLowerCase(), one])).values()]
}

/** The locations that answer errors: none of them has limits or leads on. */
function errorNodes(parts: ProxyParts): readonly Node[] {
  const { name, plan, codes, limits, site } = parts
  const of = new Set([502, ...(limits.length > 0 ? [codes.http, codes.grpc] : []), ...(plan.keys ? [401, 429] : [])])
  const { zone, burst } = GUESSES
  return [
    ...(plan.keys
      ? [
          block(`location @sluice_${name}_no_client`, [
            directive(`limit_req zone=${zone} burst=${burst} nodelay`),
            directive('limit_req_status 429'),
            // Not the limits of the proxy.
            ...(site.requestsLog === undefined ? [] : [directive(`set ${COUNTED} ""`)]),
            ...errorPages(parts, [401, 429]),
            ...commonNodes(parts),
            directive('try_files /sluice.no-client =401'),
          ]),
          SPACE,
        ]
      : []),
    ...[...of]
      .filter((code) => hasPage(code, site))
      .flatMap((code) => [
        block(`location @sluice_${name}_${code}`, [
          ...commonNodes(parts),
          ...(code === codes.http || code === codes.grpc ? parts.refusalHeaders : []),
          ...(code === 401 ? [directive('add_header WWW-Authenticate ApiKey always')] : []),
          ...answerNodes(code, site.nginxVersion),
        ]),
        SPACE,
      ]),
  ]
}

/** A status with a body in JSON, whatever the path ends in. */
export function answerNodes(code: number, nginxVersion: string): readonly Node[] {
  const status = codeEffect(code, nginxVersion)?.kind === 'becomes-400' ? 400 : code
  const message = reasonOf(status) ?? reasonOf(429)
  return [
    block('types', []),
    directive('default_type application/json'),
    directive(`return ${status} ${quoted(JSON.stringify({ message, status: String(status) }))}`),
  ]
}
