/** The examples inside the rules, which `sluice explain` prints, are true. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../rules/index.ts'
import { lint } from '../src/lint/lint.ts'
import { DEFAULT_SETTINGS } from '../src/settings/settings.ts'
import { sourceOf } from './fixtures.ts'

describe.each(RULES.map((rule) => ({ id: rule.id, rule })))('$id', ({ id, rule }) => {
  const source = (text: string) => sourceOf('example.yaml', text)
  const { bad, good, previous, settings } = rule.examples()
  const options = {
    closedWorld: true,
    settings: { ...DEFAULT_SETTINGS, ...settings },
    previous: previous === undefined ? [] : [source(previous)],
  }
  const rulesIn = (text: string) => lint([source(text)], options).report.findings.map((finding) => finding.rule)

  it('finds its bad example', () => expect(rulesIn(bad)).toContain(id))

  it('reports nothing on its good example', () => expect(rulesIn(good)).not.toContain(id))

  it('has a remedy that reads well without the data of a finding', () => expect(rule.remedy).not.toMatch(/\{\w+\}/))
})
