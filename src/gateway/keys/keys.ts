/** What a key will do on an nginx. Only keys that nginx can read are examined; other rules report the rest. */
import type { KeyPart } from '../../limits/key.ts'
import {
  clientControlled,
  type KeyVariable,
  keyEmptiness,
  type Sharing,
  sharing,
  uniquePerRequest,
} from '../../nginx/key.ts'
import { type ClientSource, knowsVariable, type VariablePlatform } from '../../nginx/variables.ts'
import { utf8Length } from '../../text/utf8.ts'
import { cachedByTwo } from '../../world/cache.ts'
import type { DefinedVariables } from '../lookups/lookups.ts'
import type { KeyView, LimitView } from '../objects/policy.ts'

/** Variables that the configuration of NGINX Gateway Fabric defines, in addition to those of nginx. */
const GATEWAY_VARIABLES = ['gw_api_compliant_host', 'connection_upgrade', 'connection_keepalive', 'request_uri_path']

/** The nginx that will read a key, with every variable that known configuration defines; made once for each world. */
export const keyPlatform = cachedByTwo(
  (base: VariablePlatform, { defined, isOpen, modules }: DefinedVariables): VariablePlatform => {
    const configured = base.variables.map((name) => name.replace('$', '').toLowerCase())
    return { ...base, isOpen, modules, variables: [...configured, ...defined, ...GATEWAY_VARIABLES] }
  },
)

/** Policies share few different keys: what follows from a key is computed once for each nginx. */
const partsIfKnown = cachedByTwo((platform: VariablePlatform, { problem, parts }: KeyView) => {
  const isKnown = (part: KeyPart): boolean => part.type !== 'variable' || knowsVariable(part.name, platform)
  return problem === undefined && parts.every(isKnown) ? parts : undefined
})

/** The parts of a key that nginx can read and whose variables it knows; undefined for others, which other rules report. */
export const readableParts = ({ key }: LimitView, platform: VariablePlatform): readonly KeyPart[] | undefined =>
  key.value && partsIfKnown(platform, key.value)

/** What a client can omit or change at will: a header, an argument of the URL, a cookie. */
type ClientInput = { readonly type: 'header' | 'argument' | 'cookie'; readonly name: string }

const CLIENT_INPUTS = [
  { prefix: 'http_', type: 'header' },
  { prefix: 'arg_', type: 'argument' },
  { prefix: 'cookie_', type: 'cookie' },
] as const

/**
 * What a client must send for a variable to have a value. Undefined for variables of other kinds, and for `$http_host`,
 * as every HTTP/1.1 and HTTP/2 request has a host.
 */
export function clientInputOf(part: KeyPart): ClientInput | undefined {
  if (part.type !== 'variable' || part.name === 'http_host') return undefined
  const source = CLIENT_INPUTS.find(({ prefix }) => part.name.startsWith(prefix))
  if (!source) return undefined
  const name = part.name.slice(source.prefix.length)
  return { type: source.type, name: source.type === 'header' ? name.replaceAll('_', '-') : name }
}

/** What follows from the parts of a key. */
export type KeyTraits = {
  readonly parts: readonly KeyPart[]
  /** Whether a request can leave the key empty, so that it is not limited. */
  readonly emptiness: 'always' | 'sometimes' | 'never'
  /** Where all clients share one bucket; undefined where they do not. */
  readonly sharing: Sharing | undefined
  /** The first variable that has a new value in every request. */
  readonly unique: KeyVariable | undefined
  /** How a client can vary the key. */
  readonly varied: Varied | undefined
  /** Bytes of its shortest possible value. */
  readonly leastBytes: number
}

const traitsOfParts = cachedByTwo(
  (platform: VariablePlatform, parts: readonly KeyPart[]): KeyTraits => ({
    parts,
    emptiness: keyEmptiness(parts, platform),
    sharing: sharing(parts, platform),
    unique: uniquePerRequest(parts, platform)[0],
    varied: variedBy(parts, platform),
    leastBytes: parts.reduce((bytes, part) => bytes + (part.type === 'text' ? utf8Length(part.text) : 1), 0),
  }),
)

/** What the key of a limit will do; undefined where nginx cannot read it or does not know its variables. */
export function keyTraits(limit: LimitView, platform: VariablePlatform): KeyTraits | undefined {
  const parts = readableParts(limit, platform)
  return parts && traitsOfParts(platform, parts)
}

/** A limit that no request evades: a client that varies the key of another limit beside it still meets this one. */
export const limitsEveryRequest = (traits: KeyTraits | undefined): boolean =>
  traits?.emptiness === 'never' && !traits.unique && !traits.varied

/** Variables that identify a client, even where the client writes them: another value is another client. */
const IDENTIFIES_CLIENT =
  /^(?:binary_remote_addr|remote_addr|realip_remote_addr|proxy_protocol_addr|remote_user|http_authorization|ssl_client_(?!verify|v_)\w+|jwt_\w+|oidc_\w+|session_log_\w+)$/

/**
 * Variables whose value the client writes, but which are useful keys: a limit for each resource, host or method. A
 * client that varies them requests something else.
 */
const IDENTIFIES_RESOURCE =
  /^(?:uri|document_uri|request_filename|fastcgi_script_name|fastcgi_path_info|request_method|ssl_server_name)$/

const MEANS: Readonly<Record<ClientSource, string>> = {
  url: 'adding "?x=1" to the URL',
  header: 'sending another header',
  method: 'using another method',
  connection: 'opening another connection',
  handshake: 'changing its TLS handshake',
  token: 'sending another token',
}

/** How a client can vary a key. */
type Varied = {
  /** Without `$`. */
  readonly variable: string
  /** What the client does, as the end of a sentence: `adding "?x=1" to the URL`. */
  readonly means: string
  /** Which remedy helps: for `query`, `host` and `address` there is a similar variable that a client cannot vary. */
  readonly remedy: 'varies' | 'query' | 'host' | 'address'
}

/**
 * The first part of a key that lets a client evade its limit, whatever the other parts are; undefined where none does
 * and where that is not known.
 */
function variedBy(parts: readonly KeyPart[], platform: VariablePlatform): Varied | undefined {
  const varied = clientControlled(parts, platform).filter(
    ({ name }) => !IDENTIFIES_RESOURCE.test(name) && !IDENTIFIES_CLIENT.test(name),
  )
  const { name, facts } = varied.find((one) => one.name !== 'http_host') ?? varied[0] ?? {}
  if (name === undefined || !facts?.client) return undefined
  return {
    variable: name,
    means: meansOf(name) ?? MEANS[facts.client],
    remedy: varied.length > 1 ? 'varies' : (REMEDIES[name] ?? (facts.client === 'connection' ? 'address' : 'varies')),
  }
}

const REMEDIES: Readonly<Record<string, Varied['remedy']>> = {
  http_host: 'host',
  proxy_add_x_forwarded_for: 'address',
  request_uri: 'query',
}

function meansOf(name: string): string | undefined {
  if (name === 'http_host') return 'adding a port to the Host header'
  if (name === 'proxy_add_x_forwarded_for') return 'sending another X-Forwarded-For header'
  if (name.startsWith('arg_')) return `changing the argument "${name.slice('arg_'.length)}"`
  if (name.startsWith('cookie_')) return `changing the cookie "${name.slice('cookie_'.length)}"`
  if (name.startsWith('http_')) return `changing the header "${name.slice('http_'.length).replaceAll('_', '-')}"`
  return undefined
}
