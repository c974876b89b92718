/**
 * What a body says of its place in nginx: hostname, paths, backends, keys of clients, header of the correlation id. What is
 * not safe to write into a configuration is a problem, so that a plan without problems can be rendered as it is. Source:
 * specification of the API management rate limit policy; API Connectivity Manager, "Publish an API Proxy", "API Key Authentication".
 */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { cachedByLatest } from '../../world/cache.ts'
import { isWithin } from '../applied.ts'
import { API_KEY, BACKEND, BODY, INGRESS, LISTENER } from '../fields.ts'
import { KEY_HASH, type KeyHash, pairsOf, readHash } from '../keys.ts'
import { isAuthentication } from '../proxy.ts'
import { FORMS, isIpv6, withoutEndSlash } from './forms.ts'
import {
  type Form,
  flagIn,
  itemsIn,
  memberOf,
  objectIn,
  type Place,
  type PublicationProblem,
  refuse,
  textIn,
} from './reading.ts'

/** Where a proxy passes requests. All targets are reached in one way. */
export type Backend = {
  /** By which routes name it. */
  readonly label: string
  readonly protocol: 'http' | 'grpc'
  readonly isTls: boolean
  /** Hosts with ports: `orders.example:8080`, `[::1]:80`. */
  readonly targets: readonly { readonly host: string; readonly port: number }[]
}

/** A path below the base path, or a method of gRPC, that has a backend of its own. */
export type Route = { readonly path: string; readonly label: string }

/** A client, with its key as somebody wrote it, or with what is stored of it. */
type KeyClient = { readonly client: string; readonly key: string | KeyHash }

/** Clients by the key that they send. */
export type KeySource = {
  readonly suppliedIn: 'HEADER' | 'QUERY'
  readonly name: string
  /** True where the backend gets the key, too. */
  readonly isForwarded: boolean
  readonly clients: readonly KeyClient[]
}

/** What is rendered of a body beside its limits. */
export type Plan = {
  /** In lower case; undefined where the proxy answers for every hostname that no other proxy has. */
  readonly hostname: string | undefined
  /** Without a slash at its end: `/v1/shop`; empty for the root; undefined for a proxy with only a gRPC service. */
  readonly base: string | undefined
  /** True where the backend gets paths without the base. */
  readonly isStripped: boolean
  readonly routes: readonly Route[]
  readonly grpc: { readonly service: string; readonly routes: readonly Route[] } | undefined
  readonly backends: readonly Backend[]
  readonly policies: Json
  /**
   * The names of policies that authenticate clients and are not rendered: without a program in front of nginx that does it
   * the proxy would be open to everyone.
   */
  readonly unenforced: readonly string[]
  /** Undefined where no policy asks for keys. */
  readonly keys: readonly KeySource[] | undefined
  /** The header of the correlation id, where the proxy has its own. */
  readonly correlationHeader: string | undefined
}

/** What a body must be, beyond its types, to become a configuration; empty where it can be rendered. Never throws. */
export const publicationProblems = (body: JsonObject): readonly PublicationProblem[] => planOf(body).problems

/** Where a proxy answers. Two proxies with the same place cannot be published both. */
export function placeOf(body: JsonObject): {
  readonly hostname: string | undefined
  readonly paths: readonly string[]
} {
  const { hostname, base, grpc } = planOf(body).plan
  return { hostname, paths: [...(base === undefined ? [] : [base || '/']), ...(grpc ? [`/${grpc.service}`] : [])] }
}

/** A body as read, and what is wrong with it. */
type PlanResult = { readonly plan: Plan; readonly problems: readonly PublicationProblem[] }

/** Reads a body, once for all that ask about the same one. With problems the plan is not safe to render. */
export const planOf = cachedByLatest((body: JsonObject): PlanResult => {
  const problems: PublicationProblem[] = []
  const root: Place = { raw: body, pointer: '', problems }
  const config = objectIn(root, 'proxyConfig')
  const policies = objectIn(memberOf(config, 'policies').raw === undefined ? root : config, 'policies')
  const ingress = objectIn(config, 'ingress')
  const grpcIngress = objectIn(config, 'grpcIngress')
  const backends = readBackends(config)
  const labels = new Set(backends.map(({ label }) => label))
  const hasPaths = ingress.raw !== undefined || grpcIngress.raw === undefined
  const base = hasPaths ? readBase(root, ingress) : undefined
  const grpc = readService(grpcIngress, labels)
  if (grpc && base === `/${grpc.service}`)
    refuse(
      memberOf(grpcIngress, 'service'),
      `the base path ${base} and the gRPC service ${grpc.service} have the same path`,
      'Choose another base path, or make a proxy of each.',
    )
  const plan: Plan = {
    hostname: textIn(config, 'hostname', FORMS.hostname)?.toLowerCase(),
    base,
    isStripped: flagIn(ingress, 'stripBasePathVersion'),
    routes: readRoutes(ingress, { name: 'uri', form: FORMS.route }, labels),
    grpc,
    backends,
    policies: policies.raw ?? {},
    unenforced: (isObject(policies.raw) ? Object.keys(policies.raw) : []).filter(
      (name) => isAuthentication(name) && name !== 'apikey-authn',
    ),
    keys: readKeys(policies),
    correlationHeader: correlationHeaderIn(policies),
  }
  return { plan, problems }
})

/** The version comes before the base path: `/v1/shop`. */
function readBase(root: Place, ingress: Place): string {
  const path = textIn(ingress, 'basePath', FORMS.basePath) ?? INGRESS.basePath.default
  const base = path === '/' ? '' : withoutEndSlash(path)
  const rule =
    textIn(ingress, 'basePathVersionAppendRule', FORMS.appendRule) ?? INGRESS.basePathVersionAppendRule.default
  const version = textIn(root, 'version', FORMS.version) ?? BODY.version.default
  return rule.toUpperCase() === 'NONE' ? base : `/${version}${base}`
}

/** The label of a backend or route that names none. */
const DEFAULT_LABEL = BACKEND.label.fields.targetName.default

function readRoutes(
  parent: Place,
  { name, form }: { readonly name: string; readonly form: Form },
  labels: ReadonlySet<string>,
): readonly Route[] {
  return itemsIn(parent, 'routes').flatMap((route) => {
    const path = textIn(route, name, form)
    const label = textIn(route, 'targetBackendServiceLabel', FORMS.label) ?? DEFAULT_LABEL
    if (label !== DEFAULT_LABEL && !labels.has(label)) {
      const place = memberOf(route, 'targetBackendServiceLabel')
      refuse(place, 'no backend has this label', 'Write the label.targetName of a backend, or add such a backend.')
    }
    return path === undefined ? [] : [{ path, label }]
  })
}

function readService(ingress: Place, labels: ReadonlySet<string>): Plan['grpc'] {
  if (ingress.raw === undefined) return undefined
  const service = textIn(ingress, 'service', FORMS.service)
  const routes = readRoutes(ingress, { name: 'method', form: FORMS.method }, labels)
  if (service !== undefined) return { service, routes }
  if (memberOf(ingress, 'service').raw !== undefined) return undefined
  return refuse(ingress, 'grpcIngress names no service', `Add "service": "${FORMS.service.example}".`)
}

function readBackends(config: Place): readonly Backend[] {
  return itemsIn(config, 'backends').map((backend) => {
    const label = textIn(objectIn(backend, 'label'), 'targetName', FORMS.label) ?? DEFAULT_LABEL
    const targets = itemsIn(backend, 'serviceTargets').flatMap((target) => readTarget(target) ?? [])
    const [first, ...others] = targets
    const odd = others.find(({ isTls, protocol }) => isTls !== first?.isTls || protocol !== first.protocol)
    if (odd)
      refuse(
        odd.listener,
        'the targets of one backend must be reached in the same way',
        'Write the same enableTLS and transportProtocol for all of them, or make two backends.',
      )
    const { protocol = 'http', isTls = false } = first ?? {}
    return { label, protocol, isTls, targets: targets.map(({ host, port }) => ({ host, port })) }
  })
}

function readTarget(target: Place) {
  const listener = objectIn(target, 'listener')
  const isTls = flagIn(listener, 'enableTLS')
  const protocol = textIn(listener, 'transportProtocol', FORMS.protocol)?.toUpperCase() === 'GRPC' ? 'grpc' : 'http'
  const hostname = textIn(target, 'hostname', FORMS.target)
  const port = memberOf(listener, 'port')
  const number = port.raw === undefined ? (isTls ? 443 : 80) : port.raw
  const { minimum, maximum } = LISTENER.port
  if (typeof number !== 'number' || !isWithin(LISTENER.port, number))
    return refuse(port, `a port must be a whole number from ${minimum} to ${maximum}`, 'Write a number such as 8080.')
  if (hostname === undefined) {
    if (memberOf(target, 'hostname').raw === undefined)
      refuse(target, 'a target needs a hostname', `Add "hostname": "${FORMS.target.example}".`)
    return undefined
  }
  const host = isIpv6(hostname) ? `[${hostname}]` : hostname.toLowerCase()
  return { host, port: number, isTls, protocol: protocol as Backend['protocol'], listener }
}

function readKeys(policies: Place): readonly KeySource[] | undefined {
  if (memberOf(policies, 'apikey-authn').raw === undefined) return undefined
  const clients = new Map<string, string>()
  return itemsIn(policies, 'apikey-authn').map((policy) => {
    const action = objectIn(policy, 'action')
    const isQuery = textIn(action, 'suppliedIn', FORMS.suppliedIn)?.toUpperCase() === 'QUERY'
    return {
      suppliedIn: isQuery ? 'QUERY' : 'HEADER',
      name:
        textIn(action, 'apiKeyName', isQuery ? FORMS.parameter : FORMS.header) ??
        API_KEY.action.fields.apiKeyName.default,
      isForwarded: flagIn(action, 'credentialForward'),
      clients: itemsIn(policy, 'data').flatMap((entry) => readClient(entry, clients) ?? []),
    }
  })
}

function readClient(entry: Place, clients: Map<string, string>) {
  const client = textIn(entry, 'clientID', FORMS.client)
  const stored = memberOf(entry, KEY_HASH).raw
  const hash = typeof stored === 'string' ? readHash(stored) : undefined
  const key = hash ? String(stored) : textIn(entry, 'apiKey', FORMS.key)
  for (const [name, value] of [
    ['clientID', client],
    ['apiKey', key],
  ] as const)
    if (value === undefined && memberOf(entry, name).raw === undefined)
      refuse(memberOf(entry, name), `${name} is missing`, `Add "${name}".`)
  if (client === undefined || key === undefined) return undefined
  const other = clients.get(key)
  if (other !== undefined && other !== client)
    return refuse(memberOf(entry, 'apiKey'), 'two clients have this key', 'Give each client a key of its own.')
  clients.set(key, client)
  const pairs = hash ? pairsOf(hash) : []
  if (other === undefined && pairs.some((pair) => clients.has(pair)))
    return refuse(memberOf(entry, 'apiKey'), 'nginx cannot tell this key from another one', 'Choose another key.')
  for (const pair of pairs) clients.set(pair, client)
  return { key: hash ?? key, client }
}

/** The name in the first policy that has one. */
function correlationHeaderIn(policies: Place): string | undefined {
  const names = itemsIn(policies, 'request-correlation-id').flatMap(
    (policy) => textIn(objectIn(policy, 'action'), 'httpHeaderName', FORMS.correlation) ?? [],
  )
  return names[0]
}

/** The header that global policies of an environment name, where they name a valid one. */
export const globalCorrelationHeader = (policies: JsonObject): string | undefined =>
  correlationHeaderIn({ raw: policies, pointer: '', problems: [] })
