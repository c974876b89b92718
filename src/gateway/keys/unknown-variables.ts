/** The variables of a key that an nginx does not know, and what the author may have meant. */
import type { KeyPart } from '../../limits/key.ts'
import { knowsVariable, lookUpVariable, type VariablePlatform } from '../../nginx/variables.ts'
import { cachedByTwo } from '../../world/cache.ts'
import type { KeyView } from '../objects/policy.ts'

/** A variable that nginx does not know. */
type UnknownVariable = {
  /** `misspelt`: a known variable is similar. `glued`: a known name with more letters after it, as in `$host_$uri`. */
  readonly reason: 'unknown' | 'misspelt' | 'glued' | 'plus-only' | 'too-new'
  /** As written, with `$`. */
  readonly variable: string
  /** The variable (`misspelt`) or the whole key (`glued`) that the author probably meant. */
  readonly meant: string | undefined
  /** The first version that knows it, for `too-new`. */
  readonly since: string | undefined
}

/** The variables of a readable key that nginx does not know, each once. */
export const unknownVariables = (key: KeyView, platform: VariablePlatform): readonly UnknownVariable[] =>
  unknownTo(platform, key)

const unknownTo = cachedByTwo((platform: VariablePlatform, key: KeyView): readonly UnknownVariable[] => {
  const unknown = new Map<string, UnknownVariable | undefined>()
  for (const part of key.parts)
    if (part.type === 'variable' && !unknown.has(part.name)) unknown.set(part.name, explain(part, key, platform))
  return [...unknown.values()].filter((variable) => variable !== undefined)
})

/** A variable of a module that an nginx may lack. */
type NeededModule = {
  /** Without `$`, in lower case. */
  readonly name: string
  /** As written, with `$`. */
  readonly variable: string
  /** `ngx_http_geoip_module`. */
  readonly module: string
  /** Whether it has to be loaded, or nginx has to be built with it. */
  readonly needs: 'module' | 'build'
}

/** The modules of a readable key's variables that official packages of nginx lack and no snippet loads, each once. */
export const neededModules = (key: KeyView, platform: VariablePlatform): readonly NeededModule[] =>
  neededOn(platform, key)

const neededOn = cachedByTwo((platform: VariablePlatform, { parts }: KeyView): readonly NeededModule[] => {
  const needed = new Map<string, NeededModule>()
  if (platform.isOpen) return []
  for (const part of parts) {
    const found = part.type === 'variable' ? lookUpVariable(part.name, platform) : undefined
    const { module, needs } = (found?.known && found.facts) || {}
    if (part.type !== 'variable' || !module || !needs || platform.modules?.has(module) || needed.has(module)) continue
    if (platform.variables.includes(part.name)) continue
    needed.set(module, { name: part.name, variable: `$${part.written}`, module, needs })
  }
  return [...needed.values()]
})

/**
 * True where a module has to be loaded before the key, or one variable of it, has any value: that is reported, and what
 * the value means only once the module is known to be loaded.
 */
export const awaitsModule = (key: KeyView | undefined, platform: VariablePlatform, variable?: string): boolean =>
  key !== undefined &&
  neededModules(key, platform).some(
    ({ needs, name }) => needs === 'module' && (variable === undefined || name === variable),
  )

type VariablePart = Extract<KeyPart, { type: 'variable' }>

function explain(part: VariablePart, key: KeyView, platform: VariablePlatform): UnknownVariable | undefined {
  const found = lookUpVariable(part.name, platform)
  if (found.known) return undefined
  const { reason, since, suggestion } = found
  const variable = `$${part.written}`
  const base = reason === 'unknown' ? longestKnown(part.name, platform) : undefined
  if (base !== undefined && (suggestion === undefined || suggestion === base))
    return { ...separated(key.unquoted ?? '', part, base), variable, since }
  if (suggestion !== undefined) return { reason: 'misspelt', variable, meant: `$${suggestion}`, since }
  return { reason, variable, meant: undefined, since }
}

/** Characters of the longest known name to look for: without a bound, a key that is one long name would take seconds. */
const LONGEST_NAME = 64

/** The longest known variable that ends before an underscore of a name: `host` for `host_` and `host_v2`. */
function longestKnown(name: string, platform: VariablePlatform): string | undefined {
  for (let end = name.lastIndexOf('_', LONGEST_NAME); end > 0; end = name.lastIndexOf('_', end - 1)) {
    const base = name.slice(0, end)
    if (knowsVariable(base, platform)) return base
  }
  return undefined
}

/** The key with ":" instead of the underscore after the known name; only that name where the key ends there. */
function separated(key: string, part: VariablePart, base: string): Pick<UnknownVariable, 'reason' | 'meant'> {
  const known = `$${part.written.slice(0, base.length)}`
  const rest = part.written.slice(base.length + 1)
  if (rest === '' && key.endsWith(`$${part.written}`)) return { reason: 'misspelt', meant: known }
  const everywhere = new RegExp(`\\$${part.written}(?!\\w)`, 'g')
  return { reason: 'glued', meant: key.replace(everywhere, () => `${known}:${rest}`) }
}
