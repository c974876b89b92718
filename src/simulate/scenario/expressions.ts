/** The distinct keys of limits, numbered. */
import type { KeyPart } from '../../limits/key.ts'
import type { VariablePlatform } from '../../nginx/variables.ts'
import type { VariableGetters } from '../../traffic/variables.ts'
import { compileKey } from '../core/keys.ts'

/** The number of a key, or the variables (without `$`) that the traffic does not have. */
type Expression = { readonly number: number } | { readonly unknown: readonly string[] }

/** The distinct keys of all limits that the traffic has the variables for, numbered. */
export type Expressions = {
  of(parts: readonly KeyPart[]): Expression
  /** The keys by their numbers. */
  readonly all: readonly (readonly KeyPart[])[]
}

/** Expressions for traffic with these variables. */
export function createExpressions(variables: VariableGetters, platform: VariablePlatform): Expressions {
  const all: (readonly KeyPart[])[] = []
  const known = new Map<string, Expression>()
  return {
    of(parts) {
      const text = JSON.stringify(parts.map((part) => (part.type === 'variable' ? `$${part.name}` : part)))
      const found = known.get(text)
      if (found) return found
      const key = compileKey(parts, variables, platform)
      const expression = key.ok ? { number: all.push(parts) - 1 } : { unknown: key.unknown }
      known.set(text, expression)
      return expression
    },
    all,
  }
}
