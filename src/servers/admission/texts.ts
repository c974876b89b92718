/** Findings as the API server hands them on: causes, warnings and one message. */
import type { Told } from './reviewer.ts'

/** Kubernetes asks for less than 120 characters a warning, and cuts off what is beyond 4096 in all. */
const LONGEST_WARNING = 119
const ALL_WARNINGS = 4096
/** What the last line of too many takes at most. */
const REST = 64

/** More than that nobody reads, and an answer has a size too. */
const MOST_CAUSES = 100
const MOST_IN_MESSAGE = 3

/** One entry of `status.details.causes`. */
export type Cause = { readonly reason: string; readonly message: string; readonly field: string }

const sentences = ({ message, help }: Told): string => `${message}. ${help}`

/** One cause a finding; what is wrong and what to do about it. */
export function causesOf(findings: readonly Told[]): readonly Cause[] {
  return findings
    .slice(0, MOST_CAUSES)
    .map((finding) => ({ reason: finding.rule, message: sentences(finding), field: finding.field }))
}

/** What stands in `status.message`, for who reads nothing else. */
export function refusalMessage(name: string, findings: readonly Told[]): string {
  const shown = findings.slice(0, MOST_IN_MESSAGE)
  const said = shown.map((finding) => `${finding.field}: ${sentences(finding)} [${finding.rule}]`)
  const more = findings.length > shown.length ? [`and ${findings.length - shown.length} more`] : []
  return `RateLimitPolicy "${name}" is refused: ${[...said, ...more].join('; ')}`
}

/** A warning about a member. */
export const warningOf = ({ field, message, rule }: Told): string => shortened(`${field}: ${message}`, ` [${rule}]`)

/** A line of a warning's length; where it is too long its middle goes and its end stays. */
export function shortened(text: string, end = ''): string {
  const line = text.replace(/\p{Cc}/gu, ' ')
  if (line.length + end.length <= LONGEST_WARNING) return line + end
  const cut = line.slice(0, LONGEST_WARNING - end.length - 1)
  return `${cut.replace(/[\uD800-\uDBFF]$/, '')}…${end}`
}

/** As many warnings as the API server hands on, and how many more there were. */
export function fitted(warnings: readonly string[]): readonly string[] {
  const lengths = warnings.map((warning) => Buffer.byteLength(warning))
  if (lengths.reduce((sum, length) => sum + length, 0) <= ALL_WARNINGS) return warnings
  let room = ALL_WARNINGS - REST
  const shown = warnings.filter((_, index) => {
    room -= lengths[index] ?? 0
    return room >= 0
  })
  return [...shown, `and ${warnings.length - shown.length} more findings; "sluice lint" lists them all`]
}
