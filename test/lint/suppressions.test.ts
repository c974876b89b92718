/** Suppressions that no transcript shows. The others: `test/fixtures/cli/suppressions.txtar`. */
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { lint } from '../../src/lint/lint.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { policy } from '../files/folder.ts'

const CONSTANT = 'gateway/key-constant'

it('is not unused where its rule came later than the release of the settings', () => {
  const text = policy().replace('_addr', `_addr # sluice-disable-line ${CONSTANT} -- meant`)
  const rules = RULES.map((rule) => (rule.id === CONSTANT ? { ...rule, since: '0.9' } : rule))
  const { report } = lint([{ file: 'a.yaml', text }], { rules, settings: { ...DEFAULT_SETTINGS, ruleset: '0.1' } })
  expect(report.findings).toEqual([])
})

it('takes very many comments above one line', () => {
  const stacked = Array.from({ length: 2000 }, () => `# sluice-disable-next-line ${CONSTANT} -- meant`).join('\n      ')
  const { report } = lint([
    { file: 'a.yaml', text: policy().replace('- key: $binary_remote_addr', `${stacked}\n      - key: everybody`) },
  ])
  expect(report.findings).toEqual([])
  expect(report.suppressed).toHaveLength(1)
})

it('says what is meant for the first 100 misspelt ids of a text', () => {
  const comments = `# sluice-disable-file ${CONSTANT}s -- meant\n`.repeat(101)
  const { findings } = lint([{ file: 'a.yaml', text: comments + policy() }]).report
  expect(findings).toHaveLength(101)
  expect(findings.map(({ help }) => help === `Write ${CONSTANT}.`).lastIndexOf(true)).toBe(99)
})
