/**
 * The nginx configuration of API proxies: what is in it comes from bodies only through plans and mapped limits, which have
 * no character that means anything to nginx. Source: specification of the API management rate limit policy.
 */
import type { Json } from '../../json/member.ts'
import { block, comment, directive, type Node, print, quoted, SPACE } from '../../nginx/nodes.ts'
import { http2Of, keptConnections } from '../../nginx/version.ts'
import { fingerprint } from '../../text/fingerprint.ts'
import { groupBy } from '../../text/group.ts'
import { compareText } from '../../text/order.ts'
import { codeOf, grpcCodeOf } from '../applied.ts'
import { HTTP_HEADER_NAME } from '../fields.ts'
import { appliedTogether, type MappedLimit, mapLimits } from '../mapping.ts'
import { DEFAULTS, type PolicyView, readProxy } from '../proxy.ts'
import { answerNodes, GUESSES, locationNodes, upstreamName } from './locations.ts'
import { globalZoneOwner, nameOf, zoneOwner } from './names.ts'
import { globalCorrelationHeader, type Plan, planOf } from './plan.ts'
import {
  environmentPart,
  type Published,
  type PublishedEnvironment,
  type PublishedProxy,
  type RenderedFile,
  type Site,
} from './published.ts'
import { refusalNodes } from './refusal.ts'
import {
  correlationNode,
  correlationVariable,
  countedNodes,
  keyNodes,
  logFormat,
  logLine,
  maskNodes,
  sharedNodes,
} from './variables.ts'

/** The correlation header where nothing names another one. */
const DEFAULT_HEADER = HTTP_HEADER_NAME.default

/** What an environment adds to its proxies. */
export type RenderedEnvironment = {
  readonly limits: readonly MappedLimit[]
  readonly header: string
  readonly file: RenderedFile
}

/** A proxy by itself, and what the whole configuration needs of it. */
export type RenderedProxy = {
  readonly hostname: string | undefined
  readonly hasRoot: boolean
  readonly hasKeys: boolean
  readonly header: string
  /** At http, and in the server of its hostname. */
  readonly files: readonly [http: RenderedFile, server: RenderedFile]
}

/** The whole configuration. Proxies with {@link publicationProblems} are left out. The same input gives the same text. */
export function renderProxies(published: Published, site: Site): readonly RenderedFile[] {
  const environments = new Map(published.environments.map((one) => [one.name, renderEnvironment(one)]))
  const proxies = published.proxies.flatMap(
    (proxy) => renderProxy(proxy, environments.get(proxy.environment), site) ?? [],
  )
  return assemble(proxies, [...environments.values()], site, published.reserved)
}

/** The global policies of an environment: all of its proxies share one budget for each of their limits. */
export function renderEnvironment({ name, policies }: PublishedEnvironment): RenderedEnvironment {
  const limits = limitsOf(policies, globalZoneOwner(name))
  const title = comment(`The global policies of the environment ${shorten(name)}`)
  return {
    limits,
    header: globalCorrelationHeader(policies) ?? DEFAULT_HEADER,
    file: {
      name: `environments/${fingerprint(name)}.conf`,
      text: print([title, ...zoneNodes(limits)]),
      part: environmentPart(name),
    },
  }
}

/** Renders one proxy; undefined for one with {@link publicationProblems}. */
export function renderProxy(
  { id, body }: Pick<PublishedProxy, 'id' | 'body'>,
  environment: RenderedEnvironment | undefined,
  site: Site,
): RenderedProxy | undefined {
  const { plan, problems } = planOf(body)
  if (problems.length > 0) return undefined
  const [name, title] = [nameOf(id), typeof body.name === 'string' ? body.name : '']
  const own = limitsOf(plan.policies, zoneOwner(title, id))
  const header = plan.correlationHeader ?? environment?.header ?? DEFAULT_HEADER
  const { limits, dryRun } = appliedTogether([...own, ...(environment?.limits ?? [])])
  const keys = keyNodes(plan.keys, { name, id })
  const refusal = refusalNodes(name, limits, { dryRun, hasKeys: plan.keys !== undefined })
  const parts = {
    ...{ name, plan, limits, dryRun, codes: codesOf(limits), header, site },
    ...{ keys: keys.location, refusalHeaders: refusal.location },
  }
  const open = plan.unenforced
  const about = [
    comment(`The proxy ${shorten(title)}`),
    ...(open.length === 0
      ? []
      : [comment(`Not rendered, so that it protects nothing here: ${shorten(open.join(', '))}`)]),
  ]
  const file = (ending: string, nodes: readonly Node[]): RenderedFile => ({
    name: `proxies/${name}${ending}.conf`,
    text: print([...about, ...nodes]),
    part: id,
  })
  return {
    hostname: plan.hostname,
    hasRoot: plan.base === '',
    hasKeys: plan.keys !== undefined,
    header,
    files: [
      file('', [
        ...zoneNodes(own),
        ...keys.http,
        ...maskNodes(plan.keys, { name, header }),
        ...refusal.http,
        ...countedNodes(name, id, site),
        ...upstreamNodes(name, plan),
      ]),
      file('.server', locationNodes(parts)),
    ],
  }
}

const LONGEST_SHOWN = 80
const shorten = (text: string): string => (text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text)

/** The limits of some policies; the names of their zones begin with `owner`. */
export function limitsOf(policies: Json, owner: string): readonly MappedLimit[] {
  const view = readProxy({ proxyConfig: { policies } })
  return view.sets.flatMap((set) => mapLimits(view, set, owner))
}

const zoneNodes = (limits: readonly MappedLimit[]): readonly Node[] =>
  limits.map(({ key, zone, size, rate }) => directive(`limit_req_zone ${key} zone=${zone}:${size} rate=${rate}`))

/** The codes of the first policy: a location has one. */
export function codesOf(limits: readonly MappedLimit[]): { readonly http: number; readonly grpc: number } {
  const policy: Pick<PolicyView, 'returnCode' | 'grpcStatusCode'> | undefined = limits[0]?.policy
  return {
    http: (policy && codeOf(policy)) ?? DEFAULTS.returnCode,
    grpc: (policy && grpcCodeOf(policy)) ?? DEFAULTS.grpcStatusCode,
  }
}

const upstreamNodes = (name: string, plan: Plan): readonly Node[] =>
  plan.backends
    .filter(({ targets }) => targets.length > 0)
    .flatMap((backend) => [
      SPACE,
      block(
        `upstream ${upstreamName(name, plan, backend)}`,
        backend.targets.map(({ host, port }) => directive(`server ${quoted(`${host}:${port}`)}`)),
      ),
    ])

/** Puts the parts together. */
export function assemble(
  proxies: readonly RenderedProxy[],
  environments: readonly RenderedEnvironment[],
  site: Site,
  reserved: readonly string[] = [],
): readonly RenderedFile[] {
  const headers = [...new Set([DEFAULT_HEADER, ...proxies.map(({ header }) => header.toLowerCase())])].sort(compareText)
  const limiting = environments.filter(({ limits }) => limits.length > 0).map(({ file }) => file)
  const byHostname = groupBy(proxies, ({ hostname }) => hostname ?? '')
  const hostnames = [...new Set(['', ...reserved, ...byHostname.keys()])].sort(compareText)
  const servers = hostnames.map((hostname) => [hostname, byHostname.get(hostname) ?? []] as const)
  const files = [...limiting, ...proxies.flatMap((proxy) => proxy.files)]
  const http = [
    ...[...HTTP, ...keptConnections(site.nginxVersion)].map(directive),
    ...headers.map((header) => directive(`log_format ${logFormat(header)} ${logLine(header)}`)),
    ...headers.flatMap((header) => [SPACE, correlationNode(header)]),
    ...sharedNodes(site),
    SPACE,
    ...guessNodes(proxies),
    ...[...limiting, ...proxies.map(({ files: [file] }) => file)].map(({ name }) => directive(`include ${name}`)),
    ...servers.flatMap(([hostname, here]) => [SPACE, serverNode(hostname, here, site)]),
  ]
  return [{ name: 'nginx.conf', text: print([...MAIN, SPACE, block('http', http)]) }, ...files]
}

const guessNodes = (proxies: readonly RenderedProxy[]): readonly Node[] => {
  const { zone, size, rate } = GUESSES
  const node = directive(`limit_req_zone $binary_remote_addr zone=${zone}:${size} rate=${rate}`)
  return proxies.some(({ hasKeys }) => hasKeys) ? [node] : []
}

/** Relative paths are relative to the prefix, `nginx -p`. */
const MAIN: readonly Node[] = [
  directive('worker_processes auto'),
  directive('pid nginx.pid'),
  directive('error_log error.log notice'),
  SPACE,
  block('events', [directive('worker_connections 1024')]),
]

/** Errors of errors need pages, too: a request without a key goes to a location that has limits. */
const HTTP: readonly string[] = [
  'client_body_temp_path client_body_temp',
  'proxy_temp_path proxy_temp',
  'server_tokens off',
  'server_names_hash_bucket_size 512',
  'server_names_hash_max_size 65536',
  'variables_hash_bucket_size 512',
  'variables_hash_max_size 65536',
  'map_hash_bucket_size 512',
  'map_hash_max_size 65536',
  'proxy_headers_hash_max_size 1024',
  'recursive_error_pages on',
  'proxy_http_version 1.1',
  // No file is ever served: "try_files" looks for one that cannot exist, as unlike "return" it comes after the limits.
  'root /dev/null',
]

/** A server; the one without a hostname answers for every hostname that no other one has. */
function serverNode(hostname: string, proxies: readonly RenderedProxy[], site: Site): Node {
  const isDefault = hostname === ''
  const { tls, hop } = site
  return block('server', [
    ...listens(site).map((listen) => directive(`listen ${listen}${isDefault ? ' default_server' : ''}`)),
    ...(http2Of(site.nginxVersion) === 'directive' ? [directive('http2 on')] : []),
    directive(`server_name ${isDefault ? '_' : quoted(hostname)}`),
    ...(tls
      ? [
          directive(`ssl_certificate ${quoted(tls.certificate)}`),
          directive(`ssl_certificate_key ${quoted(tls.key)}`),
          ...(tls.clientCa === undefined
            ? []
            : [directive(`ssl_client_certificate ${quoted(tls.clientCa)}`), directive('ssl_verify_client optional')]),
        ]
      : []),
    ...(hop ? [directive('set_real_ip_from unix:'), directive(`real_ip_header ${hop.addressHeader}`)] : []),
    ...proxies.map(({ files: [, file] }) => directive(`include ${file.name}`)),
    ...(proxies.some(({ hasRoot }) => hasRoot)
      ? []
      : [
          SPACE,
          block('location /', [
            directive(`add_header ${DEFAULT_HEADER} ${correlationVariable(DEFAULT_HEADER)} always`),
            directive(`access_log access.log ${logFormat(DEFAULT_HEADER)}`),
            ...answerNodes(404, site.nginxVersion),
          ]),
        ]),
  ])
}

/** Every server has the same ones. Before 1.25.1 HTTP/2 is a property of a port. */
function listens({ nginxVersion, address, port, grpcPort, tls, hop }: Site): readonly string[] {
  const isParameter = http2Of(nginxVersion) === 'listen'
  const at = (number: number) => `${address === '' ? '' : `${address}:`}${number}`
  const ssl = tls ? ' ssl' : ''
  return [
    `${at(port)}${ssl}${tls && isParameter ? ' http2' : ''}`,
    ...(grpcPort === undefined ? [] : [`${at(grpcPort)}${ssl}${isParameter ? ' http2' : ''}`]),
    ...(hop ? [quoted(`unix:${hop.socket}`)] : []),
  ]
}
