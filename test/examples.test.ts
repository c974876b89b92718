/** The examples inside the rules, which `sluice explain` prints, are true. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../rules/index.ts'
import { lint } from '../src/lint/lint.ts'

describe.each(RULES.map((rule) => ({ id: rule.id, rule })))('$id', ({ id, rule }) => {
  const rulesIn = (text: string) =>
    lint([{ file: 'example.yaml', text }], { closedWorld: true }).report.findings.map((finding) => finding.rule)

  it('finds its bad example', () => {
    expect(rulesIn(rule.examples.bad)).toContain(id)
  })

  it('is silent on its good example', () => {
    expect(rulesIn(rule.examples.good)).not.toContain(id)
  })
})
