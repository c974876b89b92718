/** What commands print beside their result, on the standard error. */
import type { Collected } from '../../files/discover/collect-sources.ts'
import { shownChild } from '../../files/paths.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { LintReport } from '../../lint/report.ts'
import type { UnreadableKustomization } from '../../project/kustomizations.ts'
import { type NotJudged, withFailing } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { UnjudgedCode } from '../../settings/unjudged.ts'
import { groupBy } from '../../text/group.ts'
import type { Io } from './io.ts'

/** True where everything could be read. Otherwise no object is known to be absent. */
export const isComplete = ({ problems, charts, isPartial }: Collected): boolean =>
  problems.length === 0 && charts.length === 0 && !isPartial

const brokenKustomization = ({ file, reason }: UnreadableKustomization): NotJudged => ({
  file,
  code: 'kustomization',
  reason: `cannot be read: ${reason}, so the patches that it lists are judged like whole manifests`,
})

/** The first word of a line: what makes the run fail is an error. */
const headOf = (fails: boolean): string => (fails ? 'error' : 'note')

/** How many notes of one kind are printed in full. */
const MAX_NOTES = 3

type InputProblemOptions = {
  /** Prints problems only, no notes. */
  readonly isQuiet: boolean
  /** `--closed-world`. */
  readonly isClosed: boolean
  /** For which reasons the run fails. */
  readonly codes?: readonly UnjudgedCode[]
  /** True where what is not judged is printed with what the judging adds to it. */
  readonly reportsElsewhere?: boolean
}

/** Prints what could not be read, and notes on what was passed over. */
export function printInputProblems(
  collected: Collected,
  { stderr }: Pick<Io, 'stderr'>,
  { isQuiet, isClosed, codes = [], reportsElsewhere }: InputProblemOptions,
): void {
  for (const { file, reason } of collected.problems) stderr.write(`sluice: ${escapeUnsafe(`${file}: ${reason}`)}\n`)
  const noteEach = (files: readonly string[], code: UnjudgedCode, what: string, describe: (file: string) => string) => {
    const fails = codes.includes(code)
    if (isQuiet && !fails) return
    const write = (text: string) => stderr.write(`${headOf(fails)}: ${escapeUnsafe(text)}\n`)
    for (const file of files.slice(0, MAX_NOTES)) write(describe(file))
    if (files.length > MAX_NOTES) write(`the same is true of ${files.length - MAX_NOTES} more ${what}`)
  }
  noteEach(
    collected.charts,
    'helm',
    'charts',
    (chart) =>
      `${shownChild(chart, 'templates')} holds the templates of a Helm chart: helm template ${chart} | sluice lint -`,
  )
  const broken = withFailing(collected.brokenKustomizations.map(brokenKustomization), codes)
  printNotJudged(
    broken.filter(({ fails }) => fails || !isQuiet),
    { stderr },
  )
  noteEach(
    collected.outside ?? [],
    'outside',
    'paths',
    (path) => `${path} is outside of the folders of --within, so it is not judged`,
  )
  if (isQuiet) return
  if (reportsElsewhere !== true) printNotJudged(collected.notJudged, { stderr })
  if (isClosed && !isComplete(collected))
    stderr.write('note: some files could not be read, so --closed-world is ignored: no object counts as absent\n')
}

/** How many different reasons are printed. */
const MAX_REASONS = 10

/** The same reason for many files, each with its own placeholder. */
const PLACEHOLDER = /^values such as .+ are filled in later/s

/** Prints what was not judged, a line each; of files with one reason the first few, of files with placeholders one. */
export function printNotJudged(notJudged: readonly NotJudged[], { stderr }: Pick<Io, 'stderr'>): void {
  const write = (text: string, fails = false) => stderr.write(`${headOf(fails)}: ${escapeUnsafe(text)}\n`)
  const byReason = [...groupBy(notJudged, ({ reason }) => (PLACEHOLDER.test(reason) ? PLACEHOLDER.source : reason))]
  for (const [alike, files] of byReason.slice(0, MAX_REASONS)) {
    const [first] = files
    const note = (text: string) => write(text, first?.fails)
    if (first && files.length > MAX_NOTES && alike === PLACEHOLDER.source) {
      note(`${first.file} and ${files.length - 1} more files: ${first.reason}`)
      continue
    }
    for (const one of files.slice(0, MAX_NOTES)) note(noteOf(one))
    if (files.length > MAX_NOTES) note(`the same is true of ${files.length - MAX_NOTES} more files`)
  }
  const others = byReason.slice(MAX_REASONS)
  if (others.length > 0)
    write(
      `${others.length} more were not judged; --format json lists them all`,
      others.some(([, [first]]) => first?.fails),
    )
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
  ...problems.map((problem) => ({ ...problem, code: 'unreadable' as const, isError: true })),
  ...brokenKustomizations.map(brokenKustomization),
  ...charts.map((chart) => ({
    file: shownChild(chart, 'templates'),
    code: 'helm' as const,
    reason: templatesOfChart(chart),
  })),
  ...outside.map((file) => ({ file, code: 'outside' as const, reason: 'outside of the folders of --within' })),
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
    notes.map((note) => ({ ...note, reason: `${note.reason}, so what it changes is not judged` })),
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
