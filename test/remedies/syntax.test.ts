/** The remedies of `document/syntax`, carried out in texts that slips of the hand have broken. */
import { expect, it } from 'vitest'
import { readDocuments } from '../../src/yaml/documents.ts'
import { WAYS } from './syntax.ts'
import { STYLES } from './syntax-cases.ts'

/** What a slip of the hand puts into a text, or takes out of it. */
const SLIPS = ['', ...'\t:"\'{}[],#&*!|>%@`?\\\n x0', '- ', ': ', '\u00a0', '${host}'] as const

/** Every so many of the slips are made. */
const STEP = 37

/** The texts that one slip makes of the styles. */
const slipped = Object.values(STYLES)
  .flatMap((text) => Array.from({ length: text.length + 1 }, (_, at) => ({ text, at })))
  .flatMap(({ text, at }) =>
    SLIPS.flatMap((by) => [0, 1].map((length) => text.slice(0, at) + by + text.slice(at + length))),
  )
  .filter((_, index) => index % STEP === 0)

const problemsOf = (text: string) =>
  readDocuments(text, { mentions: /(?:)/ })
    .flatMap(({ problems }) => problems)
    .filter((problem) => problem.code === 'syntax')

const lineOf = (text: string, offset: number): number => text.slice(0, offset).split('\n').length
const countLines = (text: string): number => text.split('\n').length

it.each(Object.entries(STYLES))('a text without a slip has no problem: %s', (_, text) =>
  expect(problemsOf(text)).toEqual([]),
)

it('a text that a slip has broken can be read, or read on, once the remedy is followed, nearly always', () => {
  const failures: string[] = []
  let asked = 0
  for (const text of slipped) {
    const [at] = problemsOf(text)
    const ways = at && WAYS[at.cause]
    if (!ways) continue
    asked++
    const helps = (cured: string) => {
      const [next] = problemsOf(cured)
      const line = lineOf(text, at.start) + countLines(cured) - countLines(text)
      return !next || lineOf(cured, next.start) > line
    }
    if (!ways({ text, at }).every((way) => way.some(helps))) failures.push(`${at.cause}\n${text}`)
  }
  expect(asked).toBeGreaterThan(400)
  expect(failures.length / asked, failures.slice(0, 3).join('\n')).toBeLessThan(0.06)
})
