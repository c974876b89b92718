/** Expressions of CEL say what the API server says; what cannot be evaluated here is refused, never true or false. */
import { describe, expect } from 'vitest'
import { compileCel, toCel } from '../../src/cel/compile.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const OBJECT = {
  ...{ apiVersion: 'v1', kind: 'X', metadata: { name: 'c' }, s: 'x', l: [1], h: [1, 'a', null, { a: 1 }], n: null },
  spec: { a: 1, d: 1.5, s: 'x', list: [1, 2, 3], m: { a: 1 } },
}

function verdictOf(expression: string): string {
  const outcome = compileCel(expression, { returns: 'bool' })
  if ('problem' in outcome) return 'refused'
  const said = outcome.compiled.evaluate({ object: toCel(OBJECT), oldObject: null, variables: new Map() })
  return 'failure' in said ? 'fails' : String(said.value)
}

describe('an expression', () => {
  each<[string, string]>('%s is %s, as the API server says', (expression, expected) =>
    expect(verdictOf(expression)).toBe(expected),
  )
  each<[string, string, string]>('%s is %s for the API server, and %s here', (expression, _, here) =>
    expect(verdictOf(expression)).toBe(here),
  )
})
