/** One run of `sluice lint`: read, judge, mend, set apart what is known, report. */
import { RULES } from '../../../rules/index.ts'
import { type LintOutcome, lint } from '../../lint/lint.ts'
import type { LintReport, Summary } from '../../lint/report.ts'
import type { Source } from '../../project/source.ts'
import type { Settings } from '../../settings/settings.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { printFaults, printInputProblems, printNotes, printTemplateNote } from '../core/print-notes.ts'
import { loadProject, readRuleFlags } from '../core/project.ts'
import { createProgress, type Progress } from '../core/terminal.ts'
import { type Baseline, baselineFile } from './baseline.ts'
import { type Fixed, openFixing } from './fix.ts'
import type { LintFlags } from './flags.ts'
import { readVersions } from './inputs.ts'
import { readOutputs, wantsEdits, writeReports } from './output.ts'

/** Judges what the flags name; gives the exit code. Throws {@link InputError}. */
export async function runLint(process: Io, given: LintFlags): Promise<number> {
  const asked = await ask(process, given)
  const { io, progress, outputs, maxWarnings } = asked
  const { versions, settings } = await readAll(asked, given)
  const { sources, outcome, hasFailed } = await judgeAll(asked, versions, settings)
  progress.clear()
  const settled = await settle(asked, versions, settings, outcome)
  sayBeside(versions, settled.report, given, io)
  const { collected } = versions
  const report = { ...settled.report, summary: { ...settled.report.summary, files: collected.files } }
  const warningsFail = report.summary.warnings > maxWarnings
  const editor = wantsEdits(outputs) ? { editsOf: (await import('../../lint/fix.ts')).createEditor(outcome) } : {}
  const isReported = await writeReports({ report, sources, warningsFail, ...editor }, outputs, io)
  if (report.summary.documents > 0) io.onWork?.()
  printFaults(outcome.faults, io, given.has('verbose'))
  if (outcome.faults.length > 0) return EXIT.fault
  if (collected.problems.length > 0 || hasFailed || !settled.isWritten || !isReported) return EXIT.input
  return exceeds(report.summary, maxWarnings, io) ? EXIT.findings : EXIT.clean
}

type Asked = Awaited<ReturnType<typeof ask>>

/** Reads the flags: what is wrong with them is said before any file is read. */
async function ask(process: Io, given: LintFlags) {
  const fixing = openFixing(process, given)
  const io = fixing?.io ?? process
  const ids = RULES.map(({ id }) => id)
  return {
    fixing,
    io,
    outputs: readOutputs(given, io),
    maxWarnings: readMaxWarnings(given.value('max-warnings')),
    ids,
    rules: readRuleFlags(given.values('rule'), ids),
    baseline: await openBaseline(io, given),
    progress: createProgress(io),
  }
}

async function openBaseline(io: Io, given: LintFlags): Promise<Baseline | undefined> {
  const file = baselineFile(given)
  return file === undefined ? undefined : (await import('./run-baseline.ts')).openFile(file, io, given)
}

type Versions = Awaited<ReturnType<typeof readVersions>>

async function readAll({ io, ids, rules, progress }: Asked, given: LintFlags) {
  const project = await loadProject(io, given.value('config'), ids)
  const versions = await readVersions(io, given, { ...project, rules }, progress)
  return { versions, settings: { ...project.settings, rules: { ...project.settings.rules, ...rules } } }
}

/** Judges; where the flags ask for it, mends and judges what that made. */
async function judgeAll(
  { fixing, progress }: Asked,
  { collected, before }: Versions,
  settings: Settings,
): Promise<Fixed> {
  const options = { settings, closedWorld: collected.isClosed, previous: before?.sources ?? [] }
  const judge = (sources: readonly Source[]) => lint(watched(sources, progress), options)
  const judged = { sources: collected.sources, outcome: judge(collected.sources), judge }
  if (!fixing) return { ...judged, hasFailed: false }
  return await (await import('./run-fixing.ts')).runFixing(fixing, judged)
}

/** Sets apart what a baseline knows. */
async function settle(
  { baseline }: Asked,
  { collected, before }: Versions,
  settings: Settings,
  { report, faults }: LintOutcome,
): Promise<{ readonly report: LintReport; readonly isWritten: boolean }> {
  if (!baseline) return { report, isWritten: true }
  const isWhole = collected.problems.length === 0 && faults.length === 0
  return await baseline.settle(report, {
    settings,
    isClosed: collected.isClosed,
    isCompared: before !== undefined,
    isWhole,
  })
}

/** Tells on the standard error what the report does not. */
function sayBeside({ collected, before }: Versions, report: LintReport, given: LintFlags, io: Io): void {
  const isQuiet = given.has('quiet')
  printInputProblems(collected, io, { isQuiet, isClosed: given.has('closed-world') })
  if (isQuiet) return
  printNotes([...collected.notes, ...(before?.notes ?? [])], io)
  printTemplateNote(collected, report, io)
}

function* watched(sources: readonly Source[], progress: Progress): Iterable<Source> {
  for (const source of sources) {
    progress.step('judging')
    yield source
  }
}

function readMaxWarnings(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY
  if (!/^\d{1,9}$/.test(text)) throw new InputError(`--max-warnings is a whole number of 0 or more; got "${text}"`)
  return Number(text)
}

function exceeds({ errors, warnings }: Summary, maxWarnings: number, { stderr }: Io): boolean {
  const many = warnings === 1 ? '1 warning' : `${warnings} warnings`
  if (warnings > maxWarnings) stderr.write(`sluice: ${many}, and --max-warnings allows ${maxWarnings}\n`)
  return errors > 0 || warnings > maxWarnings
}
