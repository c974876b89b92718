/**
 * Which values a key has from request to request. Everything is about the moment when `limit_req` evaluates the key:
 * after rewriting, before access checks, and before there is a response (tests compare with real programs).
 */
import type { KeyPart } from '../limits/key.ts'
import { lookUpVariable, type VariableFacts, type VariablePlatform } from './variables.ts'

/** A variable of a key, and what is known about it. */
export type KeyVariable = { readonly name: string; readonly facts: VariableFacts }

/**
 * Whether the value of a key can be empty; nginx does not apply a limit whose key is empty.
 * - `always`: written empty (`""`), or made only of variables that have no value before there is a response;
 * - `sometimes`: made only of variables that a request can lack (`$http_*`, `$arg_*`, `$cookie_*`, captures …);
 * - `never`: some part has a value in every request. Variables that configuration defines are assumed to have one.
 */
export function keyEmptiness(parts: readonly KeyPart[], platform: VariablePlatform): 'always' | 'sometimes' | 'never' {
  const all = parts.map((part) => partEmptiness(part, platform))
  if (all.includes('never')) return 'never'
  return all.includes('sometimes') ? 'sometimes' : 'always'
}

function partEmptiness(part: KeyPart, platform: VariablePlatform): 'always' | 'sometimes' | 'never' {
  if (part.type === 'text') return 'never'
  if (part.type === 'capture') return 'sometimes'
  return factsOf(part.name, platform)?.empty ?? 'never'
}

/**
 * The variables of a key to which a client can give new values without end: it gets a new bucket each time and never
 * reaches the limit. One such part is enough: `$binary_remote_addr$request_uri` changes with `?x=1`.
 */
export function clientControlled(parts: readonly KeyPart[], platform: VariablePlatform): readonly KeyVariable[] {
  return variablesOf(parts, platform).filter(({ facts }) => facts.client !== undefined)
}

/**
 * The variables of a key that are new for every request (`$request_id`) or every millisecond (`$msec`): a limit
 * by them never limits. Values that change every second or with the connection are not included; see `facts.changes`.
 */
export function uniquePerRequest(parts: readonly KeyPart[], platform: VariablePlatform): readonly KeyVariable[] {
  return variablesOf(parts, platform).filter(
    ({ facts: { changes } }) => changes === 'request' || changes === 'millisecond',
  )
}

/** How long all clients share one bucket: see {@link sharing}. */
export type Sharing = 'always' | 'where-present' | 'for-a-second'

/**
 * Where all clients share one bucket; undefined where they do not, and for a key that is always empty.
 * - `always`: every request has the same value: literal text, and variables that are the same for all requests
 *   (`$hostname`, or `$status`, which is still 000);
 * - `where-present`: every request that has a value has the same one (`$http2`), the others are not limited;
 * - `for-a-second`: every request has the same value until the next second (`$time_local`).
 */
export function sharing(parts: readonly KeyPart[], platform: VariablePlatform): Sharing | undefined {
  const kinds = parts.map((part) => {
    const facts = part.type === 'variable' ? factsOf(part.name, platform) : undefined
    if (part.type === 'text' || facts?.constant || facts?.empty === 'always') return 'always'
    return facts?.changes === 'second' && facts.empty === undefined ? 'for-a-second' : undefined
  })
  const emptiness = keyEmptiness(parts, platform)
  if (kinds.includes(undefined) || emptiness === 'always') return undefined
  if (kinds.includes('for-a-second')) return 'for-a-second'
  const varies = parts.some((part) => part.type === 'variable' && factsOf(part.name, platform)?.empty === 'sometimes')
  if (emptiness === 'sometimes') return parts.length === 1 ? 'where-present' : undefined
  return varies ? undefined : 'always'
}

function variablesOf(parts: readonly KeyPart[], platform: VariablePlatform): readonly KeyVariable[] {
  return parts.flatMap((part) => {
    const facts = part.type === 'variable' ? factsOf(part.name, platform) : undefined
    return part.type === 'variable' && facts ? [{ name: part.name, facts }] : []
  })
}

function factsOf(name: string, platform: VariablePlatform): VariableFacts | undefined {
  const found = lookUpVariable(name, platform)
  return found.known ? found.facts : undefined
}
