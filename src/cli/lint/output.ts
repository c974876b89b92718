/** Where the report of `sluice lint` goes: formats, files, and the annotations of GitHub Actions. */
import { resolve } from 'node:path'
import type { AnyRule } from '../../engine/rule.ts'
import type { InputProblem } from '../../files/input-problem.ts'
import { withSlashes } from '../../files/paths.ts'
import type { LintReport } from '../../lint/report.ts'
import { fileOf, type Source, textOf } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { FORMATS, type Format, GITHUB } from '../../reports/lint/formats.ts'
import type { ReportContext } from '../../reports/lint/reporter.ts'
import { countRules, formatStatistics } from '../../reports/lint/selection.ts'
import { nearest } from '../../text/nearest.ts'
import type { Args, Flags } from '../core/flags.ts'
import { isInActions } from '../core/guard-log.ts'
import { InputError, type Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'
import { VERSION } from '../version/version.ts'

const NAMES = FORMATS.map(({ name }) => name)

export const OUTPUT_FLAGS = {
  format: { value: 'NAME', choices: NAMES, summary: `how to report: ${NAMES.join(', ')}` },
  output: { value: 'NAME=FILE', summary: 'write a report in that format to a file, too; repeatable' },
  info: { summary: 'show infos, not only their number' },
  quiet: { short: 'q', summary: 'show errors only' },
  statistics: { summary: 'count the findings of each rule' },
  'hide-suppressed': { summary: 'leave suppressed findings out of json and sarif' },
} as const satisfies Flags

/** The part of the help on formats. */
export const OUTPUT_DETAILS = `--format says what the standard output gets, --output what files get beside it.
text, github and markdown are for people: infos with --info only. json,
sarif, junit and gitlab are for programs and hold everything. With --quiet all
of them hold errors only. In GitHub Actions annotations follow the text report.`

type OutputFlags = Args<keyof typeof OUTPUT_FLAGS | 'color'>

/** What the flags ask for. */
export type Outputs = {
  readonly format: Format
  readonly files: readonly FileOutput[]
  /** The flags, as every format sees them. */
  readonly wish: Pick<ReportContext, 'color' | 'info' | 'quiet' | 'statistics'>
  readonly hideSuppressed: boolean
}

type FileOutput = { readonly format: Format; readonly path: string; readonly shown: string }

/** True where a report shows how findings are fixed. */
export const wantsEdits = ({ format, files }: Outputs): boolean =>
  [format, ...files.map((file) => file.format)].some(({ showsEdits }) => showsEdits)

/** Reads the flags. Throws {@link InputError}. */
export function readOutputs(given: OutputFlags, io: Io): Outputs {
  const name = given.value('format')
  const files = given.values('output').map((written) => readFile(written, io))
  const twice = files.find(({ path }, index) => files.findIndex((other) => other.path === path) < index)
  if (twice) throw new InputError(`--output names ${twice.shown} twice`)
  return {
    format: name === undefined ? FORMATS[0] : findFormat(name, '--format'),
    files,
    wish: {
      color: wantsColor(given.value('color'), io.stdout, io),
      info: given.has('info'),
      quiet: given.has('quiet'),
      statistics: given.has('statistics'),
    },
    hideSuppressed: given.has('hide-suppressed'),
  }
}

function findFormat(name: string, flag: string): Format {
  const format = FORMATS.find((known) => known.name === name)
  if (format) return format
  const meant = nearest(name, NAMES)
  const hint = meant === undefined ? '' : `; did you mean "${meant}"?`
  throw new InputError(`${flag} must be one of ${NAMES.join(', ')}; got "${name}"${hint}`)
}

/** The process's own streams: a file behind them would be replaced under the report that goes there. */
const STREAM = /^(?:-|\/dev\/(?:stdout|stderr|fd\/[12])|\/proc\/self\/fd\/[12])$/

function readFile(written: string, { cwd }: Io): FileOutput {
  const [, name, file] = /^([^=]*)=(.+)$/s.exec(written) ?? []
  if (name === undefined || file === undefined)
    throw new InputError(`--output is NAME=FILE, such as sarif=sluice.sarif; got "${written}"`)
  const format = findFormat(name, 'NAME in --output NAME=FILE')
  if (STREAM.test(file))
    throw new InputError(`--output writes files; for the standard output there is --format ${name}`)
  return { format, path: resolve(cwd, file), shown: withSlashes(file) }
}

/** What there is to report, beside the flags. */
export type Reportable = Pick<ReportContext, 'warningsFail' | 'editsOf'> & {
  readonly report: LintReport
  readonly sources: readonly Source[]
  /** The rules of the run. */
  readonly rules: readonly AnyRule[]
}

/**
 * Writes the files and prints the report, in this order, so that a reader who leaves costs no file. False where a file
 * cannot be written, which the standard error says behind the report.
 */
export async function writeReports(
  { report, sources, rules, ...rest }: Reportable,
  outputs: Outputs,
  io: Io,
): Promise<boolean> {
  const shown = outputs.hideSuppressed ? { ...report, suppressed: [] } : report
  const context = { ...createContext({ sources, rules }, outputs, io), ...rest }
  const problems = outputs.files.length === 0 ? [] : await writeFiles(shown, context, outputs, io)
  await print(shown, context, outputs, io)
  for (const { file, reason } of problems)
    io.stderr.write(`sluice: ${escapeUnsafe(file)} cannot be written: ${reason}\n`)
  return problems.length === 0
}

async function writeFiles(
  report: LintReport,
  context: ReportContext,
  { files }: Outputs,
  { cwd }: Io,
): Promise<readonly InputProblem[]> {
  const { writeOutput } = await import('../../files/write/new-files.ts')
  const onPaper = { ...context, color: false, width: undefined }
  const problems: InputProblem[] = []
  for (const { format, path, shown } of files) {
    const { render } = await format.load()
    const problem = writeOutput(path, shown, render(report, onPaper), cwd)
    if (problem) problems.push(problem)
  }
  return problems
}

async function print(report: LintReport, context: ReportContext, { format }: Outputs, io: Io): Promise<void> {
  const { render, syntax, hasStatistics } = await format.load()
  const rendered = render(report, context)
  io.stdout.write(rendered, syntax)
  if (isInActions(io) && format === FORMATS[0])
    io.stdout.write((await GITHUB.load()).render(report, context), 'commands')
  if (context.statistics && !hasStatistics) io.stderr.write(formatStatistics(countRules(report, context)))
}

function createContext(
  { sources, rules }: Pick<Reportable, 'sources' | 'rules'>,
  { wish }: Outputs,
  io: Io,
): Omit<ReportContext, 'warningsFail'> {
  const byFile = new Map(sources.map((source) => [fileOf(source), source]))
  return {
    ...wish,
    width: io.stdout.columns,
    elapsed: io.now(),
    tool: { version: VERSION, rules },
    base: { folder: withSlashes(io.cwd), repository: repositoryOf(io) },
    files: [...byFile.keys()],
    textOf(file) {
      const source = byFile.get(file)
      return source && textOf(source)
    },
  }
}

/** Where GitHub's and GitLab's runners say that the repository lies: their paths count from there. */
function repositoryOf({ env }: Io): string | undefined {
  const root = isInActions({ env }) ? env.GITHUB_WORKSPACE : env.GITLAB_CI === 'true' ? env.CI_PROJECT_DIR : undefined
  return root ? withSlashes(resolve(root)) : undefined
}
