/** Keys as the rules judge their values: only those that nginx will be able to read. */
import type { KeyPart } from '../limits/key.ts'
import { lookUpVariable, type VariablePlatform } from '../nginx/variables.ts'
import type { LimitView } from './policy.ts'

/** Variables that the configuration of NGINX Gateway Fabric itself defines, beside those of nginx. */
const OF_THE_GATEWAY = ['gw_api_compliant_host', 'connection_upgrade', 'connection_keepalive', 'request_uri_path']

type Known = { readonly platform: VariablePlatform; readonly made: VariablePlatform }
const known = new WeakMap<ReadonlySet<string>, Known>()

/** The nginx that will read a key, with every variable that configuration in sight defines; made once for each world. */
export function keyPlatform(platform: VariablePlatform, defined: ReadonlySet<string>): VariablePlatform {
  const last = known.get(defined)
  if (last?.platform === platform) return last.made
  const configured = platform.variables.map((name) => name.replace('$', '').toLowerCase())
  const made = { ...platform, variables: [...configured, ...defined, ...OF_THE_GATEWAY] }
  known.set(defined, { platform, made })
  return made
}

/** The parts of a key that nginx can read and whose variables it knows; undefined where other rules object already. */
export function readableParts({ key }: LimitView, platform: VariablePlatform): readonly KeyPart[] | undefined {
  if (!key.value || key.value.problem !== undefined) return undefined
  const isKnown = (part: KeyPart): boolean => part.type !== 'variable' || lookUpVariable(part.name, platform).known
  return key.value.parts.every(isKnown) ? key.value.parts : undefined
}

/** What a client leaves out or varies at will: a header, an argument of the URL, a cookie. */
export type Supplied = { readonly type: 'header' | 'argument' | 'cookie'; readonly name: string }

const SUPPLIED = [
  { prefix: 'http_', type: 'header' },
  { prefix: 'arg_', type: 'argument' },
  { prefix: 'cookie_', type: 'cookie' },
] as const

/** What a client has to send for a variable to have a value; undefined for variables of other kinds, and for `$http_host`, which every request of today has. */
export function suppliedBy(part: KeyPart): Supplied | undefined {
  if (part.type !== 'variable' || part.name === 'http_host') return undefined
  const source = SUPPLIED.find(({ prefix }) => part.name.startsWith(prefix))
  if (!source) return undefined
  const name = part.name.slice(source.prefix.length)
  return { type: source.type, name: source.type === 'header' ? name.replaceAll('_', '-') : name }
}
