/** Texts with one mistake in their syntax, each with what its remedy makes of it. */
import type { SyntaxCause } from '../../src/yaml/parse/problem.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

/** A text that is broken, and the texts that follow from its remedy: one for each way that it names. */
export type SyntaxCase = {
  readonly cause: SyntaxCause
  /** The part that is broken, for titles. */
  readonly written: string
  readonly broken: string
  readonly cured: readonly string[]
}

type Row = readonly [part: string, broken: string, ...cured: readonly string[]]

/** A policy without a mistake, in three styles. */
export const STYLES = cases<Readonly<Record<'block' | 'flow' | 'json', string>>>('styles')

export const SYNTAX_CASES: readonly SyntaxCase[] = Object.entries(
  cases<Readonly<Record<`${keyof typeof STYLES} ${SyntaxCause}`, readonly Row[]>>>('cases'),
).flatMap(([named, rows]) => {
  const [style, cause] = named.split(' ') as [keyof typeof STYLES, SyntaxCause]
  return rows.map(([part, broken, ...cured]) => {
    const put = (text: string) => STYLES[style].replace(part, () => text)
    if (!STYLES[style].includes(part)) throw new Error(`no "${part}" in the ${style} style`)
    return {
      cause,
      written: JSON.stringify(broken),
      broken: put(broken),
      cured: cured.length > 0 ? cured.map(put) : [STYLES[style]],
    }
  })
})
