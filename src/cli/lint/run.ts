/** One run of `sluice lint`: read, judge, fix, apply the baseline, report. */

import type { Previous } from '../../files/comparison.ts'
import type { Collected } from '../../files/discover/collect-sources.ts'
import { collectSources } from '../../files/discover/collect-sources.ts'
import { lint } from '../../lint/lint.ts'
import { eachOnce, type LintReport, type Summary } from '../../lint/report.ts'
import type { Source } from '../../project/source.ts'
import { mentionsIn, REGISTRY, type Registry } from '../../registry.ts'
import type { Settings } from '../../settings/settings.ts'
import { plural } from '../../text/plural.ts'
import { openComparison, orThrow } from '../core/comparison.ts'
import { readNamespace } from '../core/inputs.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import {
  isComplete,
  passedOver,
  printFaults,
  printInputProblems,
  printNotes as printLines,
  printNotJudged,
  printTemplateNote,
} from '../core/print-notes.ts'
import { loadProject, type Project } from '../core/project.ts'
import type { Progress } from '../core/terminal.ts'
import { type LintArgs, type LintFlags, readArgs } from './args.ts'
import { type Fixed, runFixing } from './fix.ts'
import { wantsEdits, writeReports } from './output.ts'

/** Judges what the flags name, as far as `registry` knows it; returns the exit code. Throws {@link InputError}. */
export async function runLint(process: Io, flags: LintFlags, registry: Registry = REGISTRY): Promise<number> {
  const args = await readArgs(process, flags, registry)
  const { io, outputs, maxWarnings, progress } = args
  const project = await loadProject(io, {
    named: flags.value('config'),
    ruleIds: args.ruleIds,
    readsFiles: !flags.has('cluster'),
  })
  const settings = { ...project.settings, rules: { ...project.settings.rules, ...args.rules } }
  const inputs = await readInputs(args, project)
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
  printNotes(inputs, found, args)
  const report = {
    ...found,
    notJudged: eachOnce([...passedOver(collected), ...found.notJudged]),
    summary: { ...found.summary, files: collected.files },
  }
  const warningsFail = report.summary.warnings > maxWarnings
  const editor = wantsEdits(outputs) ? { editsOf: (await import('../../lint/fix.ts')).createEditor(outcome) } : {}
  const isReported = await writeReports(
    { report, sources, rules: registry.rules, warningsFail, ...editor },
    outputs,
    io,
  )
  if (report.summary.documents > 0) io.onWork?.()
  printFaults(outcome.faults, io, flags.has('verbose'))
  if (outcome.faults.length > 0) return EXIT.fault
  if (collected.problems.length > 0 || hasFailed || !isWritten || !isReported) return EXIT.input
  if (flags.has('require-policies') && outcome.judged === 0) {
    io.stderr.write('sluice: no RateLimitPolicy was judged, and --require-policies asks for one\n')
    return EXIT.input
  }
  return exceeds(report.summary, maxWarnings, io) ? EXIT.findings : EXIT.clean
}

/** Today's sources, and the version that they are compared with. */
type Inputs = {
  readonly collected: Collected & {
    /** The user said that the sources are all there is, and all of them could be read. */
    readonly isClosed: boolean
    readonly notes: readonly string[]
  }
  readonly previous: Previous | undefined
}

/** Reads today's manifests, and those that the flags compare them with. Throws {@link InputError}. */
async function readInputs(args: LintArgs, project: Project): Promise<Inputs> {
  const { io, flags, rules, within, progress, registry } = args
  const options = {
    ...project,
    rules,
    systems: registry.systems,
    mentions: mentionsIn(registry.systems),
    cwd: io.cwd,
    stdin: io.stdin,
    isInputWhole: flags.has('fix'),
    within,
    paths: within ?? flags.positionals,
    namespace: readNamespace(flags.value('namespace')),
    onFile: () => progress.step('reading'),
  }
  if (flags.has('cluster')) {
    if (flags.positionals.length > 0 || flags.has('base') || flags.has('old'))
      throw new InputError('--cluster judges what a cluster stores: use it without paths, --base and --old')
    const { collectFromCluster } = await import('../core/cluster-sources.ts')
    const { gaps, ...collected } = await collectFromCluster(io, flags, options)
    return { collected: { ...collected, isClosed: gaps.length === 0, notes: gaps }, previous: undefined }
  }
  const comparison = await openComparison(io, flags, options)
  const observer = comparison ? { observer: comparison.observer } : {}
  const collected = await collectSources(flags.positionals, { ...options, ...observer })
  const previous = comparison && orThrow(await comparison.read(collected.sources))
  const isClosed = flags.has('closed-world') && isComplete(collected)
  return { collected: { ...collected, isClosed, notes: [] }, previous }
}

/** Judges; with `--fix`, fixes and judges the result. */
async function judge({ fixing, progress, registry }: LintArgs, inputs: Inputs, settings: Settings): Promise<Fixed> {
  const { collected, previous } = inputs
  const options = { ...registry, settings, closedWorld: collected.isClosed, previous: previous?.sources ?? [] }
  const judgeSources = (sources: readonly Source[]) => lint(withProgress(sources, progress), options)
  const judged = { sources: collected.sources, outcome: judgeSources(collected.sources), judge: judgeSources }
  return fixing ? await runFixing(fixing, judged) : { ...judged, hasFailed: false }
}

function* withProgress(sources: readonly Source[], progress: Progress): Iterable<Source> {
  for (const source of sources) {
    progress.step('judging')
    yield source
  }
}

/** Prints on the standard error what is not part of the report. */
function printNotes({ collected, previous }: Inputs, report: LintReport, { flags, isQuiet, io }: LintArgs): void {
  printInputProblems(collected, io, { isQuiet, isClosed: flags.has('closed-world'), reportsElsewhere: true })
  if (isQuiet) return
  printNotJudged(eachOnce([...collected.notJudged, ...report.notJudged]), io)
  printLines([...collected.notes, ...(previous?.notes ?? [])], io)
  printTemplateNote(collected, report, io)
}

function exceeds({ errors, warnings }: Summary, maxWarnings: number, { stderr }: Io): boolean {
  if (warnings > maxWarnings)
    stderr.write(`sluice: ${plural(warnings, 'warning')}, and --max-warnings allows ${maxWarnings}\n`)
  return errors > 0 || warnings > maxWarnings
}
