/** People never see the placeholders of messages: not where rules are listed, explained or described for programs. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import type { Message } from '../../src/engine/rule.ts'
import { sarif } from '../../src/reports/lint/sarif.ts'
import { sluice } from '../cli/run.ts'
import { context, reportOf } from '../reports/report.ts'

/** The placeholders of all messages. A policy may have braces too. */
const NAMES = RULES.flatMap(({ messages }) =>
  Object.values<Message>(messages).flatMap((message) => {
    const { text, remedy = '' } = typeof message === 'string' ? { text: message } : message
    return [...`${text} ${remedy}`.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  }),
)
const PLACEHOLDER = new RegExp(`\\{(?:${[...new Set(NAMES)].join('|')})\\}`)

it('there are placeholders to look for', () => expect('"{meant}"').toMatch(PLACEHOLDER))

it('the texts of a rule have none', () => {
  for (const { id, summary, why, remedy, source } of RULES)
    expect([summary, why, remedy, source].join(' '), id).not.toMatch(PLACEHOLDER)
})

it.each(RULES.map(({ id }) => id))('sluice explain %s prints none', async (id) =>
  expect((await sluice(['explain', id])).stdout).not.toMatch(PLACEHOLDER),
)

it('sluice rules --format json prints none', async () =>
  expect((await sluice(['rules', '--format', 'json'])).stdout).not.toMatch(PLACEHOLDER))

it('rules/README.md has none', () =>
  expect(readFileSync(new URL('../../rules/README.md', import.meta.url), 'utf8')).not.toMatch(PLACEHOLDER))

it('the rules in SARIF have none', () =>
  expect(sarif.render(reportOf([]), context('', { tool: { version: '0', rules: RULES } }))).not.toMatch(PLACEHOLDER))
