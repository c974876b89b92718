/**
 * What the value of a key will be like, request by request. All answers are about the moment when `limit_req` looks:
 * after rewriting, before access checks and before any answer is made (the tests ask real programs).
 */
import type { KeyPart } from '../limits/key.ts'
import { lookUpVariable, type VariableFacts, type VariablePlatform } from './variables.ts'

/** A variable of a key together with what is known of it. */
export type KeyVariable = { readonly name: string; readonly facts: VariableFacts }

/**
 * Whether a key can come out empty; nginx skips a limit whose key is empty.
 * - `always`: written empty (`""`), or made only of variables that have no value before an answer is made;
 * - `sometimes`: made only of variables that a request can lack (`$http_*`, `$arg_*`, `$cookie_*`, captures …);
 * - `never`: some part has a value in every request. Variables that configuration defines are trusted to have one.
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
 * The variables of a key that a client can give ever new values: it then gets a new bucket each time and never meets
 * the limit. One such part is enough, whatever stands beside it: `$binary_remote_addr$request_uri` grows with `?x=1`.
 */
export function clientControlled(parts: readonly KeyPart[], platform: VariablePlatform): readonly KeyVariable[] {
  return variablesOf(parts, platform).filter(({ facts }) => facts.client !== undefined)
}

/**
 * The variables of a key that are new for every request (`$request_id`) or every millisecond (`$msec`): a limit by
 * them never limits. Values that change by the second or by the connection are not among them; see `facts.changes`.
 */
export function uniquePerRequest(parts: readonly KeyPart[], platform: VariablePlatform): readonly KeyVariable[] {
  return variablesOf(parts, platform).filter(
    ({ facts: { changes } }) => changes === 'request' || changes === 'millisecond',
  )
}

/**
 * True where every request gets the same value, so that all clients share one bucket: text, and variables that tell
 * no request from another (`$hostname`, or `$status`, which is 000 so early). False for a key that is always empty.
 */
export function isConstant(parts: readonly KeyPart[], platform: VariablePlatform): boolean {
  if (keyEmptiness(parts, platform) !== 'never') return false
  return parts.every((part) => {
    if (part.type !== 'variable') return part.type === 'text'
    const facts = factsOf(part.name, platform)
    return facts?.constant === true || facts?.empty === 'always'
  })
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
