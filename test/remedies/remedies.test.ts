/** Every remedy of every rule is carried out: the finding is gone, and nothing as bad has come instead. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { ask, compare } from './ask.ts'
import { ELSEWHERE } from './elsewhere.ts'
import { makeRemedies } from './made.ts'

const { made, problems } = makeRemedies()

it('has no proof of a remedy that no finding has', () => expect(problems).toEqual([]))

describe.each(RULES)('$id', ({ id, messages }) => {
  const own = made.filter((one) => one.finding.rule === id)
  const elsewhere = ELSEWHERE.filter(({ rule }) => rule === id)

  it('has a remedy that was carried out for each of its messages', () => {
    const proven = new Set([...own, ...elsewhere].map((one) => one.id))
    const unproven = Object.keys(messages).filter((message) => !proven.has(message))
    expect(unproven, `write the edits that follow the remedy to test/fixtures/${id}/remedies.yaml`).toEqual([])
  })

  it.each(own)('helps: $title', ({ finding, id: message, before, after }) => {
    const { isGone, worse } = compare({ finding, id: message }, before, ask(after.text, after))
    expect(worse, finding.help).toEqual([])
    expect(isGone, `${finding.message}\n${finding.help}\n${after.text}`).toBe(true)
  })

  it.each(elsewhere)('helps: $id $written', ({ id: message, before, after }) => {
    expect(before()).toEqual([message])
    expect(after()).toEqual([])
  })
})
