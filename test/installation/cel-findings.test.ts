/** What a rule in CEL becomes. Whether the API server understands it, and agrees with the rule, is tested in test/cluster/. */
import { expect, it } from 'vitest'
import { celText } from '../../src/engine/cel.ts'
import type { AnyRule } from '../../src/engine/rule.ts'
import { celFindings } from '../../src/installation/cel-findings.ts'

const VIEW = { name: 'tea', variables: [] }

const rule = (messages: AnyRule['messages']): AnyRule => ({
  id: 'shop/tea',
  severity: 'error',
  judges: 'Tea',
  summary: 'Tea is hot.',
  why: 'It is.',
  remedy: 'Boil it.',
  source: 'a cup',
  messages,
  examples: () => ({ bad: '', good: '' }),
  check: () => undefined,
})

const CUP = { each: 'cup', of: 'tea.cups' } as const

it('quotes texts as CEL reads them', () => expect(celText("a 'b' \\ \n")).toBe(String.raw`'a \'b\' \\ \n'`))

it('lists the items for which the condition holds, with the path, the values and the remedy', () => {
  const cold = rule({ cold: { text: 'the cup "{name}" is cold', remedy: 'Heat {name}.' } })
  const cases = [{ message: 'cold', at: 'name', when: 'cup.isCold', values: { name: 'cup.name' } }]
  expect(celFindings(cold, { ...CUP, cases }, VIEW, 'denial')).toBe(
    `variables.views.map(tea, tea.cups
  .filter(cup, cup.isCold)
  .map(cup, cup.path + '.name: the cup "' + cup.name + '" is cold. Heat ' + cup.name + '. [shop/tea]'))`,
  )
  expect(celFindings(cold, { ...CUP, cases }, VIEW, 'warning')).not.toContain('Heat')
})

it('has the remedy of the rule where a value of another one is not known', () => {
  const cold = rule({ cold: { text: 'cold', remedy: 'Did you mean {meant}?' } })
  const expression = celFindings(cold, { cases: [{ message: 'cold', at: 'spec', when: 'tea.isCold' }] }, VIEW, 'denial')
  expect(expression).toBe(`variables.views.map(tea, tea.isCold ? ['spec: cold. Boil it. [shop/tea]']
  : [])`)
})

it('reports of an item the first message whose condition holds', () => {
  const twice = rule({ cold: 'cold', old: 'old' })
  const cases = [
    { message: 'cold', when: 'cup.isCold' },
    { message: 'old', when: 'cup.isOld' },
  ]
  expect(celFindings(twice, { ...CUP, cases }, VIEW, 'warning')).toBe(
    `variables.views.map(tea, tea.cups
  .filter(cup, (cup.isCold)
    || (cup.isOld))
  .map(cup, cup.isCold ? cup.path + ': cold [shop/tea]'
    : cup.path + ': old [shop/tea]'))`,
  )
})

it('is no expression where a placeholder of the message has no value', () => {
  const cold = rule({ cold: 'the cup "{name}" is cold' })
  expect(() => celFindings(cold, { cases: [{ message: 'cold', when: 'true' }] }, VIEW, 'warning')).toThrow(
    '{name} in "the cup "{name}" is cold" has no value in CEL',
  )
})
