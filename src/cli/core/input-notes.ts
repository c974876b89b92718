/** What `sluice lint` says beside its report, on the standard error. */
import type { Collected } from '../../files/discover/collect-sources.ts'
import { shownChild } from '../../files/paths.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { LintReport } from '../../lint/report.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Io } from './io.ts'

/** Nothing is absent for certain where something could not be looked into. */
export const isWhole = ({ problems, charts, isPartial }: Collected): boolean =>
  problems.length === 0 && charts.length === 0 && !isPartial

/** How many notes of one kind are written in full. */
const MOST_NOTES = 3

type Telling = {
  readonly isQuiet: boolean
  /** The user said that the files are all there is. */
  readonly isClosed: boolean
}

/** Tells of what was not judged: what cannot be read, and unless it shall be quiet, what was passed over. */
export function sayWhatIsMissing(collected: Collected, { stderr }: Io, { isQuiet, isClosed }: Telling): void {
  for (const { file, reason } of collected.problems) stderr.write(`sluice: ${escapeUnsafe(`${file}: ${reason}`)}\n`)
  if (isQuiet) return
  const note = (text: string) => stderr.write(`note: ${escapeUnsafe(text)}\n`)
  const noteAll = (files: readonly string[], what: string, tell: (file: string) => string) => {
    for (const file of files.slice(0, MOST_NOTES)) note(tell(file))
    if (files.length > MOST_NOTES) note(`the same holds for ${files.length - MOST_NOTES} more ${what}`)
  }
  noteAll(
    collected.charts,
    'charts',
    (chart) => `${shownChild(chart, 'templates')} is a Helm chart's templates: helm template ${chart} | sluice lint -`,
  )
  noteAll(
    collected.brokenKustomizations,
    'kustomizations',
    (file) => `${file} cannot be read, so patches that it lists are judged like whole manifests`,
  )
  noteAll(
    collected.outside ?? [],
    'paths',
    (path) => `${path} lies outside of the folder of --within and is not judged`,
  )
  if (isClosed && !isWhole(collected))
    note('not every file could be looked into, so nothing counts as absent (--closed-world)')
}

/** Tells what lines count in, where findings are about texts that Helm has rendered. */
export function sayWhoseLines({ rendered = [] }: Collected, { findings }: LintReport, { stderr }: Io): void {
  const texts = new Set(rendered)
  if (findings.some(({ file }) => texts.has(file)))
    stderr.write('note: lines of a template are those of its rendered text: helm template --show-only TEMPLATE\n')
}

/** Tells what is worth knowing, a line each. */
export function sayNotes(notes: readonly string[], { stderr }: Io): void {
  for (const note of notes.slice(0, MOST_NOTES)) stderr.write(`note: ${escapeUnsafe(note)}\n`)
  if (notes.length > MOST_NOTES) stderr.write(`note: and ${notes.length - MOST_NOTES} more of the kind\n`)
}

/** Tells of rules that threw. */
export function sayFaults(faults: LintOutcome['faults'], { stderr }: Io, isVerbose: boolean): void {
  for (const { rule, file, error } of faults) {
    const text = error instanceof Error ? error.message : String(error)
    stderr.write(`sluice: a fault of rule ${rule}, not of ${escapeUnsafe(`${file}: ${text}`)}\n`)
    if (isVerbose && error instanceof Error) stderr.write(`${error.stack}\n`)
  }
}
