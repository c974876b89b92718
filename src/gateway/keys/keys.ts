/** Keys as the rules judge their values: only those that nginx will be able to read. */
import type { KeyPart } from '../../limits/key.ts'
import { knowsVariable, type VariablePlatform } from '../../nginx/variables.ts'
import type { KeyView, LimitView } from '../objects/policy.ts'

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

/** What follows from a key (or its parts) on one nginx, worked out once: policies share their few keys. */
export function oncePerKey<Key extends object, Value>(
  judge: (key: Key, platform: VariablePlatform) => Value,
): (key: Key, platform: VariablePlatform) => Value {
  const answers = new WeakMap<Key, { readonly platform: VariablePlatform; readonly value: Value }>()
  return (key, platform) => {
    const last = answers.get(key)
    if (last?.platform === platform) return last.value
    const value = judge(key, platform)
    answers.set(key, { platform, value })
    return value
  }
}

const partsIfKnown = oncePerKey(({ problem, parts }: KeyView, platform) => {
  const isKnown = (part: KeyPart): boolean => part.type !== 'variable' || knowsVariable(part.name, platform)
  return problem === undefined && parts.every(isKnown) ? parts : undefined
})

/** The parts of a key that nginx can read and whose variables it knows; undefined where other rules object already. */
export const readableParts = ({ key }: LimitView, platform: VariablePlatform): readonly KeyPart[] | undefined =>
  key.value && partsIfKnown(key.value, platform)

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
