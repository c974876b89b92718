/** What every function of the library returns: a value, or everything that is wrong with what it got. */

import type { NotJudged } from '../project/source.ts'

/** One thing wrong with an argument. */
export type Problem = {
  /** Where: `settings.platform.nginxVersion`, `sources[2].text`; empty for the call as a whole. */
  readonly path: string
  /** What is wrong, and what is expected. One line. */
  readonly message: string
  /** In a text of settings: line and column, from 1. */
  readonly line?: number
  readonly column?: number
  /** True for a fault in sluice, not in the arguments. */
  readonly isFault?: true
}

/** A value, or the reasons why there is none. No function of the library throws. */
export type Result<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** A result with a value. */
export const success = <Value>(value: Value): Result<Value> => ({ ok: true, value })

/** A result without a value. */
export const failure = (...problems: readonly Problem[]): Result<never> => ({ ok: false, problems })

/** A result that fails as a whole. Messages of the command line name flags: options have their names, in camel case. */
export const failureOf = (problem: string, notJudged: readonly NotJudged[] = []): Result<never> =>
  failure({ path: '', message: withOptionNames(problem) }, ...notJudged.map(leftOut))

/** What was left out of a search that failed: that may be why. */
const leftOut = ({ file, line, reason }: NotJudged): Problem => ({
  path: '',
  message: `${file}${line === undefined ? '' : `:${line}`}: ${reason}`,
})

/** `--port-offset` to `portOffset`. */
export const withOptionNames = (message: string): string =>
  message.replace(
    /(^|[\s(])--([a-z]+(?:-[a-z]+)*)/g,
    (_, before: string, flag: string) =>
      before + flag.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase()),
  )

/** Runs a function of the library; what it throws is a fault in sluice, and a problem of the result. */
export function guarded<Value>(run: () => Result<Value>): Result<Value> {
  try {
    return run()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return failure({ path: '', message: `a fault in sluice, not in your input: ${message}`, isFault: true })
  }
}
