/** `sluice lint`. */
import { RULES } from '../../rules/index.ts'
import type { Severities } from '../engine/project.ts'
import type { Settings } from '../engine/settings.ts'
import { collectSources } from '../files/index.ts'
import { lint } from '../lint/lint.ts'
import { createEditor } from '../lint/mend.ts'
import type { Summary } from '../lint/report.ts'
import type { Source } from '../lint/source.ts'
import { CLUSTER_FLAGS } from './cluster-flags.ts'
import { type Command, command } from './command.ts'
import { COMPARISON_FLAGS, openComparison, sure } from './comparison.ts'
import type { Given } from './flags.ts'
import { readNamespace } from './inputs.ts'
import { EXIT, InputError, type Io } from './io.ts'
import { BASELINE_FLAGS, openBaseline } from './lint-baseline.ts'
import { FIX_FLAGS, type Fixed, type Fixing, type Judged, openFixing } from './lint-fix.ts'
import { isWhole, sayFaults, sayNotes, sayWhatIsMissing, sayWhoseLines } from './lint-messages.ts'
import { OUTPUT_DETAILS, OUTPUT_FLAGS, readOutputs, writeReports } from './lint-output.ts'
import { readWithin, WITHIN_FLAGS } from './lint-within.ts'
import { loadProject, type Project, readRuleFlags } from './project.ts'
import { createProgress, type Progress } from './terminal.ts'

const FLAGS = {
  ...OUTPUT_FLAGS,
  'max-warnings': { value: 'N', summary: 'fail when there are more than N warnings' },
  rule: { value: 'ID=SEVERITY', summary: 'set a rule to off, info, warning, error; repeatable' },
  config: { value: 'FILE', summary: 'settings; default: sluice.config.yaml here or above' },
  namespace: { short: 'n', value: 'NS', summary: 'the namespace of manifests that name none' },
  'closed-world': { summary: 'the files are all there is: what they lack is absent' },
  ...FIX_FLAGS,
  ...WITHIN_FLAGS,
  ...COMPARISON_FLAGS,
  ...CLUSTER_FLAGS,
  ...BASELINE_FLAGS,
  color: { value: 'WHEN', summary: 'auto, always or never; default: auto' },
  verbose: { summary: 'show where a fault of sluice comes from' },
} as const

type LintFlags = Given<keyof typeof FLAGS>

export const lintCommand: Command = command({
  name: 'lint',
  summary: 'judge the RateLimitPolicies of files and folders',
  usage: '[paths…] [flags]',
  details: `Paths are files, folders, globs in quotes, or - for the standard input; without
one, the current folder. Hidden folders, node_modules, what Git ignores and the
templates of Helm charts are left out. What Helm has rendered is shown under the
names of its templates.

With --within DIR only what is named is judged, and all files of DIR are looked
up in: for hooks, which pass the files that changed.

With --base or --old a run also says what the change from an earlier version
would do to a gateway that runs, such as a reload that nginx refuses. Objects
are found again by kind, namespace and name, also in renamed and split files.
Rendered text is best compared with text rendered likewise: --old FILE.
--old cluster compares with what lives in the cluster of your kubeconfig, and
--cluster judges that; both only read.

With --fix what can be mended safely is mended in the files: only the tokens
that change are touched. The report, and the exit code, are of what remains.
With --dry-run nothing is written: the change is printed as a diff, the report
of the files as they are goes to the standard error. So it does for
"--fix -", which prints the standard input as mended.

A finding that is meant stays quiet beside a comment that names its rule and
says why: # sluice-disable-line gateway/key-constant -- the reason
Findings that are known stay quiet with --baseline FILE. --write-baseline writes
that file, or else sluice.baseline.json; it knows no lines, so they may move.

${OUTPUT_DETAILS}`,
  flags: FLAGS,
  examples: [
    { line: 'sluice lint', does: 'the current folder' },
    { line: "sluice lint k8s 'apps/*/overlays/**'", does: 'a folder and a glob' },
    { line: 'kustomize build overlays/prod | sluice lint - --closed-world', does: 'what reaches the cluster' },
    { line: 'sluice lint k8s --max-warnings 0', does: 'in CI: warnings fail too' },
    { line: 'sluice lint k8s --base origin/main...', does: 'what the branch changes' },
    { line: 'sluice lint k8s --fix', does: 'mend what is safe to mend' },
    { line: 'sluice lint k8s --fix --dry-run > fix.patch', does: 'the same as a diff, for git apply' },
    { line: 'sluice lint k8s --baseline known.json --write-baseline', does: 'call known what is found now' },
    { line: 'sluice lint k8s --baseline known.json', does: 'new findings only' },
    { line: 'sluice lint --cluster -A', does: 'what lives in a cluster' },
    { line: 'sluice lint k8s --output sarif=sluice.sarif', does: 'for code scanning, beside the text' },
    { line: 'sluice lint --within . k8s/coffee.yaml', does: 'one file, seen among all' },
    { line: 'sluice lint k8s --rule gateway/zone-size-implicit=warning', does: 'one rule, another severity' },
  ],
  run: runLint,
})

async function runLint(process: Io, given: LintFlags): Promise<number> {
  const fixing = openFixing(process, given)
  const io = fixing?.io ?? process
  const outputs = readOutputs(given, io)
  const maxWarnings = readMaxWarnings(given.value('max-warnings'))
  const ids = RULES.map(({ id }) => id)
  const rules = readRuleFlags(given.values('rule'), ids)
  const project = await loadProject(io, given.value('config'), ids)
  const baseline = openBaseline(io, given)
  const progress = createProgress(io)
  const { collected, before } = await readVersions(io, given, { ...project, rules }, progress)
  const settings = { ...project.settings, rules: { ...project.settings.rules, ...rules } }
  const closedWorld = collected.isClosed
  const judge = (sources: readonly Source[]) =>
    lint(watched(sources, progress), { settings, closedWorld, previous: before?.sources ?? [] })
  const judged = { sources: collected.sources, outcome: judge(collected.sources), judge }
  const { sources, outcome, hasFailed } = await mendedIfAsked(fixing, judged)
  const { report: found, faults } = outcome
  progress.clear()
  const isWholeRun = collected.problems.length === 0 && faults.length === 0
  const sight = { settings, isClosed: closedWorld, isCompared: before !== undefined, isWhole: isWholeRun }
  const { report, isWritten } = (await baseline?.settle(found, sight)) ?? { report: found, isWritten: true }
  sayWhatIsMissing(collected, io, { isQuiet: given.has('quiet'), isClosed: given.has('closed-world') })
  if (!given.has('quiet')) sayNotes([...collected.notes, ...(before?.notes ?? [])], io)
  if (!given.has('quiet')) sayWhoseLines(collected, report, io)
  const whole = { ...report, summary: { ...report.summary, files: collected.files } }
  const warningsFail = report.summary.warnings > maxWarnings
  const reportable = { report: whole, sources, warningsFail, editsOf: createEditor(outcome) }
  const isReported = writeReports(reportable, outputs, io)
  if (report.summary.documents > 0) io.onWork?.()
  sayFaults(faults, io, given.has('verbose'))
  if (faults.length > 0) return EXIT.fault
  if (collected.problems.length > 0 || hasFailed || !isWritten || !isReported) return EXIT.input
  return exceeds(report.summary, maxWarnings, io) ? EXIT.findings : EXIT.clean
}

async function mendedIfAsked(fixing: Fixing | undefined, judged: Judged): Promise<Fixed> {
  if (!fixing) return { ...judged, hasFailed: false }
  return await (await import('./run-fixing.ts')).runFixing(fixing, judged)
}

/** Today's manifests, and those that the flags compare them with. */
async function readVersions(io: Io, given: LintFlags, project: Project & { rules: Severities }, progress: Progress) {
  const within = readWithin(given, io.cwd)
  const options = {
    ...project,
    cwd: io.cwd,
    stdin: io.stdin,
    isInputWhole: given.has('fix'),
    within,
    paths: within ?? given.positionals,
    namespace: readNamespace(given.value('namespace')),
    onFile: () => progress.step('reading'),
  }
  if (given.has('cluster')) return { collected: await readLiving(io, given, options), before: undefined }
  const comparison = await openComparison(io, given, options)
  const collected = await collectSources(given.positionals, {
    ...options,
    ...(comparison ? { watch: comparison.watch } : {}),
  })
  const before = comparison && sure(await comparison.read(collected.sources))
  const isClosed = given.has('closed-world') && isWhole(collected)
  return { collected: { ...collected, isClosed, notes: [] }, before }
}

/** What lives in a cluster; all of it, unless something cannot be read. */
async function readLiving(io: Io, given: LintFlags, options: { settings: Settings; namespace: string | undefined }) {
  if (given.positionals.length > 0 || given.has('base') || given.has('old'))
    throw new InputError('--cluster judges what lives there: without paths, --base and --old')
  const { collectFromCluster } = await import('./cluster-sources.ts')
  const { gaps, ...collected } = await collectFromCluster(io, given, options)
  return { ...collected, isClosed: gaps.length === 0, notes: gaps }
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
