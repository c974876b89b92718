/** Which variables an nginx knows, and which ones configuration defines. Source: nginx, embedded variables; tests compare with real programs. */
import { suggestVariable } from './variable-suggestion.ts'
import { VARIABLE_GROUPS, type VariableFacts } from './variables-table.ts'
import { isOlder } from './version.ts'

export type { ClientSource, VariableFacts } from './variables-table.ts'

/** The nginx that will read a key. */
export type VariablePlatform = {
  /** `major.minor.patch`; `major.minor` stands for the newest release of that line. */
  readonly nginxVersion: string
  /** True for NGINX Plus. */
  readonly plus: boolean
  /** Lower-cased names without `$` of the variables that configuration defines elsewhere. */
  readonly variables: readonly string[]
  /** True where configuration that is not known may define further variables: then none is unknown. */
  readonly isOpen?: boolean
  /** Names of the modules that configuration is known to load: `ngx_http_geoip_module`. */
  readonly modules?: ReadonlySet<string>
}

/** What is known about a variable. */
type VariableLookup =
  /** `facts` is undefined where configuration defines the variable: then its value is not known. */
  | { readonly known: true; readonly facts: VariableFacts | undefined }
  | {
      readonly known: false
      readonly reason: 'unknown' | 'plus-only' | 'too-new'
      /** The first version that knows it, for `too-new`. */
      readonly since: string | undefined
      /** The variable that the author may have meant, without `$`. */
      readonly suggestion: string | undefined
    }

/** A variable of the table under its name, or a prefix under its bare form. */
export type NamedVariable = { readonly name: string; readonly facts: VariableFacts }

const ALL: readonly (NamedVariable & { readonly prefix: boolean })[] = VARIABLE_GROUPS.flatMap(
  ({ variables, ...group }) =>
    Object.entries(variables).map(([pattern, own]) => ({
      name: pattern.replace('*', ''),
      prefix: pattern.endsWith('*'),
      facts: { ...group, ...own },
    })),
)
const BY_NAME = new Map(ALL.filter(({ prefix }) => !prefix).map(({ name, facts }) => [name, facts]))

/** The prefixes (`http_`, `arg_` …): any name that begins with one is a variable, and so is the prefix itself. */
export const VARIABLE_PREFIXES: readonly NamedVariable[] = ALL.filter(({ prefix }) => prefix).sort(
  (a, b) => b.name.length - a.name.length,
)

/** The variables with a name of their own. */
export const NAMED_VARIABLES: readonly NamedVariable[] = ALL.filter(({ prefix }) => !prefix)

/** Looks up a variable; `name` is without `$` and lower-cased, as in nginx's own lookup. */
export function lookUpVariable(name: string, platform: VariablePlatform): VariableLookup {
  const own = BY_NAME.get(name)
  if (own && !absence(own, platform)) return { known: true, facts: own }
  if (platform.variables.includes(name)) return { known: true, facts: undefined }
  const prefix = prefixOf(name)
  if (prefix && !absence(prefix, platform)) return { known: true, facts: prefix }
  const facts = own ?? prefix
  const reason = (facts && absence(facts, platform)) ?? 'unknown'
  if (reason === 'unknown' && platform.isOpen) return { known: true, facts: undefined }
  return {
    known: false,
    reason,
    since: reason === 'too-new' ? facts?.since : undefined,
    suggestion: reason === 'unknown' ? suggestVariable(name, candidates(platform)) : undefined,
  }
}

/** True where an nginx knows a variable of that (lower-cased) name: {@link lookUpVariable} without a suggestion, which costs time. */
export function knowsVariable(name: string, platform: VariablePlatform): boolean {
  const isHere = (facts: VariableFacts | undefined) => facts !== undefined && !absence(facts, platform)
  const [own, prefix] = [BY_NAME.get(name), prefixOf(name)]
  if (isHere(own) || platform.variables.includes(name) || isHere(prefix)) return true
  return platform.isOpen === true && !own && !prefix
}

/** The names that an nginx knows, and the prefixes of which any name is a variable. */
export function knownVariables(platform: VariablePlatform): {
  readonly names: readonly string[]
  readonly prefixes: readonly string[]
} {
  const isHere = ({ facts }: NamedVariable): boolean => !absence(facts, platform)
  const names = NAMED_VARIABLES.filter(isHere).map(({ name }) => name)
  return {
    names: [...platform.variables, ...names],
    prefixes: VARIABLE_PREFIXES.filter(isHere).map(({ name }) => name),
  }
}

const prefixOf = (name: string): VariableFacts | undefined =>
  VARIABLE_PREFIXES.find((candidate) => name.startsWith(candidate.name))?.facts

/** Why a platform lacks a variable of the table, or undefined where it has it. */
function absence(facts: VariableFacts, platform: VariablePlatform): 'plus-only' | 'too-new' | undefined {
  if (facts.plus && !platform.plus) return 'plus-only'
  if (facts.since && isOlder(platform.nginxVersion, facts.since)) return 'too-new'
  return undefined
}

function candidates(platform: VariablePlatform): { names: readonly string[]; prefixes: readonly string[] } {
  const isHere = ({ facts }: NamedVariable): boolean => !facts.internal && !absence(facts, platform)
  const names = NAMED_VARIABLES.filter(isHere).map(({ name }) => name)
  return {
    names: [...platform.variables, ...names],
    prefixes: VARIABLE_PREFIXES.filter(isHere).map(({ name }) => name),
  }
}
