/** What commands print beside their result, on the standard error. */
import type { Collected } from '../../files/discover/collect-sources.ts'
import { shownChild } from '../../files/paths.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { LintReport } from '../../lint/report.ts'
import type { UnreadableKustomization } from '../../project/kustomizations.ts'
import type { NotJudged } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { groupBy } from '../../text/group.ts'
import type { Io } from './io.ts'

/** True where everything could be read. Otherwise no object is known to be absent. */
export const isComplete = ({ problems, charts, isPartial }: Collected): boolean =>
  problems.length === 0 && charts.length === 0 && !isPartial

const brokenKustomization = ({ file, reason }: UnreadableKustomization): NotJudged => ({
  file,
  reason: `cannot be read: ${reason}, so the patches that it lists are judged like whole manifests`,
})

/** How many notes of one kind are printed in full. */
const MAX_NOTES = 3

type InputProblemOptions = {
  /** Prints problems only, no notes. */
  readonly isQuiet: boolean
  /** `--closed-world`. */
  readonly isClosed: boolean
  /** True where what is not judged is printed with what the judging adds to it. */
  readonly reportsElsewhere?: boolean
}

/** Prints what could not be read, and notes on what was passed over. */
export function printInputProblems(
  collected: Collected,
  { stderr }: Pick<Io, 'stderr'>,
  { isQuiet, isClosed, reportsElsewhere }: InputProblemOptions,
): void {
  for (const { file, reason } of collected.problems) stderr.write(`sluice: ${escapeUnsafe(`${file}: ${reason}`)}\n`)
  if (isQuiet) return
  const note = (text: string) => stderr.write(`note: ${escapeUnsafe(text)}\n`)
  const noteEach = (files: readonly string[], what: string, describe: (file: string) => string) => {
    for (const file of files.slice(0, MAX_NOTES)) note(describe(file))
    if (files.length > MAX_NOTES) note(`the same is true of ${files.length - MAX_NOTES} more ${what}`)
  }
  noteEach(
    collected.charts,
    'charts',
    (chart) =>
      `${shownChild(chart, 'templates')} holds the templates of a Helm chart: helm template ${chart} | sluice lint -`,
  )
  printNotJudged(collected.brokenKustomizations.map(brokenKustomization), { stderr })
  noteEach(
    collected.outside ?? [],
    'paths',
    (path) => `${path} is outside of the folders of --within, so it is not judged`,
  )
  if (reportsElsewhere !== true) printNotJudged(collected.notJudged, { stderr })
  if (isClosed && !isComplete(collected))
    note('some files could not be read, so --closed-world is ignored: no object counts as absent')
}

/** How many different reasons are printed. */
const MAX_REASONS = 10

/** The same reason for many files, each with its own placeholder. */
const PLACEHOLDER = /^values such as .+ are filled in later/s

/** Prints what was not judged, a line each; of files with one reason the first few, of files with placeholders one. */
export function printNotJudged(notJudged: readonly NotJudged[], { stderr }: Pick<Io, 'stderr'>): void {
  const note = (text: string) => stderr.write(`note: ${escapeUnsafe(text)}\n`)
  const byReason = [...groupBy(notJudged, ({ reason }) => (PLACEHOLDER.test(reason) ? PLACEHOLDER.source : reason))]
  for (const [alike, files] of byReason.slice(0, MAX_REASONS)) {
    const [first] = files
    if (first && files.length > MAX_NOTES && alike === PLACEHOLDER.source) {
      note(`${first.file} and ${files.length - 1} more files: ${first.reason}`)
      continue
    }
    for (const one of files.slice(0, MAX_NOTES)) note(noteOf(one))
    if (files.length > MAX_NOTES) note(`the same is true of ${files.length - MAX_NOTES} more files`)
  }
  if (byReason.length > MAX_REASONS)
    note(`${byReason.length - MAX_REASONS} more were not judged; --format json lists them all`)
}

/** `a.yaml:3: the reason`, without the line where it is not known. */
const noteOf = ({ file, line, reason }: NotJudged): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${reason}`

/** Everything that was passed over before anything was judged. */
export const passedOver = ({
  problems,
  charts,
  brokenKustomizations,
  outside = [],
  notJudged,
}: Collected): readonly NotJudged[] => [
  ...problems.map((problem) => ({ ...problem, isError: true })),
  ...brokenKustomizations.map(brokenKustomization),
  ...charts.map((chart) => ({ file: shownChild(chart, 'templates'), reason: templatesOfChart(chart) })),
  ...outside.map((file) => ({ file, reason: 'outside of the folders of --within' })),
  ...notJudged,
]

const templatesOfChart = (chart: string): string => `templates of a Helm chart: helm template ${chart} | sluice lint -`

/** Explains the line numbers, where findings are about texts that Helm has rendered. */
export function printTemplateNote({ rendered = [] }: Collected, { findings }: LintReport, { stderr }: Io): void {
  const texts = new Set(rendered)
  if (findings.some(({ file }) => texts.has(file)))
    stderr.write(
      'note: line numbers of a template are those of its rendered text: helm template --show-only TEMPLATE\n',
    )
}

/** Prints what kustomizations could not build. */
export const printNotBuilt = (notes: LintOutcome['notBuilt'], io: Io): void =>
  printNotJudged(
    notes.map(({ file, reason }) => ({ file, reason: `${reason}, so what it changes is not judged` })),
    io,
  )

/** Prints notes, a line each. */
export function printNotes(notes: readonly string[], { stderr }: Io): void {
  for (const note of notes.slice(0, MAX_NOTES)) stderr.write(`note: ${escapeUnsafe(note)}\n`)
  if (notes.length > MAX_NOTES) stderr.write(`note: and ${notes.length - MAX_NOTES} more like these\n`)
}

/** Prints which rules threw, with `isVerbose` their stacks. */
export function printFaults(faults: LintOutcome['faults'], { stderr }: Io, isVerbose: boolean): void {
  for (const { rule, file, error } of faults) {
    const text = error instanceof Error ? error.message : String(error)
    stderr.write(`sluice: a fault in rule ${rule}, not in ${escapeUnsafe(`${file}: ${text}`)}\n`)
    if (isVerbose && error instanceof Error) stderr.write(`${error.stack}\n`)
  }
}
