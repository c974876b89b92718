/** One run of `sluice lint`: read, judge, fix, apply the baseline, report. */

import type { FileObserver } from '../../files/discover/read-sources.ts'
import { lint } from '../../lint/lint.ts'
import type { LintReport, Summary } from '../../lint/report.ts'
import { eachOnce, type NotJudged, readingOf, type Source, withFailing } from '../../project/source.ts'
import { REGISTRY, type Registry, withPolicies } from '../../registry.ts'
import { isIncluded } from '../../reports/lint/selection.ts'
import { severitiesOfOnly } from '../../settings/rule-ids.ts'
import type { Settings, Severities } from '../../settings/settings.ts'
import type { UnjudgedCode } from '../../settings/unjudged.ts'
import { counted } from '../../text/plural.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import {
  passedOver,
  printFaults,
  printInputProblems,
  printNotes as printLines,
  printNotBuilt,
  printNotJudged,
  printTemplateNote,
} from '../core/print-notes.ts'
import { loadProject, readProjectFlags, readRuleFlags } from '../core/project.ts'
import type { Progress } from '../core/terminal.ts'
import { type LintArgs, type LintFlags, readArgs, readOnly } from './args.ts'
import { type Fixed, runFixing } from './fix.ts'
import { type Inputs, readInputs, sourceOptions } from './inputs.ts'
import { wantsEdits, writeReports } from './output.ts'

/** Judges what the flags name, as far as `registry` knows it; returns the exit code. Throws {@link InputError}. */
export async function runLint(
  process: Io,
  flags: LintFlags,
  registry: Registry = REGISTRY,
  observer?: FileObserver,
): Promise<number> {
  const args = await readArgs(process, flags, registry)
  const { io, outputs, maxWarnings, progress } = args
  const configured = await loadProject(io, {
    ...readProjectFlags(flags),
    ruleIds: args.ruleIds,
    readsFiles: !flags.has('cluster'),
  })
  const known = withPolicies(registry, configured.settings)
  const ids = known.rules.map(({ id }) => id)
  const only = readOnly(flags, ids)
  const rules = { ...severitiesOf(only, known, configured.settings), ...readRuleFlags(flags.values('rule'), ids) }
  const settings = withSeverities(configured.settings, rules, only)
  const project = { ...configured, settings }
  if (flags.has('print-config'))
    return (await import('./show.ts')).printConfig({ ...args, registry: known }, project, rules)
  const options = sourceOptions(args, project, rules)
  if (flags.has('list-files')) return (await import('./show.ts')).listFiles(args, options)
  const inputs = await readInputs(args, options, observer)
  const { collected, previous } = inputs
  const { sources, outcome, hasFailed } = await judge(args, inputs, settings)
  progress.clear()
  const baselined = await args.baseline?.apply(outcome.report, {
    settings,
    isClosed: collected.isClosed,
    isCompared: previous !== undefined,
    isWhole: collected.problems.length === 0 && outcome.faults.length === 0,
  })
  const { report: found, isWritten } = baselined ?? { report: outcome.report, isWritten: true }
  const codes = args.failOnUnjudged ?? project.failOnUnjudged
  printNotes(inputs, { ...found, notJudged: withFailing(found.notJudged, codes) }, codes, args)
  printNotBuilt(shownNotes(withFailing(outcome.notBuilt, codes), args), io)
  const report = {
    ...found,
    notJudged: withFailing(eachOnce([...passedOver(collected), ...found.notJudged, ...outcome.notBuilt]), codes),
    summary: { ...found.summary, files: collected.files },
  }
  const warningsFail = report.summary.warnings > maxWarnings
  const editor = wantsEdits(outputs) ? { editsOf: (await import('../../lint/fix.ts')).createEditor(outcome) } : {}
  const isReported = await writeReports({ report, sources, rules: known.rules, warningsFail, ...editor }, outputs, io)
  if (report.summary.documents > 0) io.onWork?.()
  printFaults(outcome.faults, io, flags.has('verbose'))
  if (outcome.faults.length > 0) return EXIT.fault
  if (collected.problems.length > 0 || hasFailed || !isWritten || !isReported) return EXIT.input
  if (flags.has('require-policies') && outcome.judged === 0) {
    io.stderr.write('sluice: no RateLimitPolicy was judged, and --require-policies asks for one\n')
    return EXIT.input
  }
  const fails = [failsUnjudged(report.notJudged, io), exceeds(report.summary, maxWarnings, io)]
  return fails.includes(true) ? EXIT.findings : EXIT.clean
}

/** Severities of the command line, which take precedence over all settings. */
const severitiesOf = (only: readonly string[] | undefined, { rules }: Registry, settings: Settings): Severities =>
  only ? severitiesOfOnly(only, rules, settings.rules) : {}

/** With `--only`, rules of any release are active. */
const withSeverities = (settings: Settings, rules: Severities, only: readonly string[] | undefined): Settings => ({
  ...settings,
  rules: { ...settings.rules, ...rules },
  ...(only ? { ruleset: undefined } : {}),
})

/** Judges; with `--fix`, fixes and judges the result. */
async function judge(args: LintArgs, inputs: Inputs, settings: Settings): Promise<Fixed> {
  const { fixing, progress, registry, baseline, isQuiet, io } = args
  const { collected, previous } = inputs
  const options = {
    ...registry,
    settings,
    closedWorld: collected.isClosed,
    unknownKinds: collected.unknownKinds,
    previous: previous?.sources ?? [],
    today: io.today(),
  }
  const { texts } = collected
  const judgeSources = (sources: readonly Source[]) => lint(readingOf(withProgress(sources, progress), texts), options)
  const judged = { sources: collected.sources, outcome: judgeSources(collected.sources), judge: judgeSources }
  if (!fixing) return { ...judged, hasFailed: false }
  const reported = (report: LintReport) =>
    (baseline?.unknown(report) ?? report.findings).filter((finding) => isIncluded(finding, { quiet: isQuiet }))
  return await runFixing(fixing, { ...judged, reported })
}

function* withProgress(sources: readonly Source[], progress: Progress): Iterable<Source> {
  for (const source of sources) {
    progress.step('judging')
    yield source
  }
}

/** Prints on the standard error what is not part of the report. */
function printNotes(
  { collected, previous }: Inputs,
  report: LintReport,
  codes: readonly UnjudgedCode[],
  args: LintArgs,
): void {
  const { flags, isQuiet, io } = args
  printInputProblems(collected, io, { isQuiet, isClosed: flags.has('closed-world'), codes, reportsElsewhere: true })
  const notes = eachOnce([...withFailing(collected.notJudged, codes), ...report.notJudged])
  printNotJudged(shownNotes(notes, args), io)
  if (isQuiet) return
  printLines([...collected.notes, ...(previous?.notes ?? [])], io)
  printTemplateNote(collected, report, io)
}

/** With `--quiet`, only what makes the run fail. */
const shownNotes = (notes: readonly NotJudged[], { isQuiet }: Pick<LintArgs, 'isQuiet'>): readonly NotJudged[] =>
  isQuiet ? notes.filter(({ fails }) => fails) : notes

/** Says for which reasons the run fails. */
function failsUnjudged(notJudged: readonly NotJudged[], { stderr }: Io): boolean {
  const failing = notJudged.filter(({ fails }) => fails)
  if (failing.length === 0) return false
  const codes = [...new Set(failing.map(({ code }) => code))].sort().join(', ')
  stderr.write(`sluice: ${failing.length} not judged, and --fail-on-unjudged fails for that: ${codes}\n`)
  return true
}

function exceeds({ errors, warnings }: Summary, maxWarnings: number, { stderr }: Io): boolean {
  if (warnings > maxWarnings)
    stderr.write(`sluice: ${counted(warnings, 'warning')}, and --max-warnings allows ${maxWarnings}\n`)
  return errors > 0 || warnings > maxWarnings
}
