/** `--baseline` and `--write-baseline`: findings that the file knows are suppressed. */
import { isActive } from '../../engine/run.ts'
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import type { Registry } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import { plural } from '../../text/plural.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'

type KnownFinding = import('../../lint/baseline/baseline.ts').KnownFinding

export const BASELINE_FLAGS = {
  baseline: { value: 'FILE', summary: 'suppress the findings that this file knows; report new ones' },
  'write-baseline': { summary: 'write the file: what is found now is known from now on' },
} as const satisfies Flags

/** What a run could find. */
type RunScope = {
  readonly settings: Settings
  /** The sources are all there is. */
  readonly isClosed: boolean
  /** There was an earlier version to compare with. */
  readonly isCompared: boolean
  /** Everything was read, and no rule failed. */
  readonly isWhole: boolean
}

/** The baseline of a run. */
export type Baseline = {
  /** The findings of a report that are not known. */
  unknown(report: LintReport): readonly ReportedFinding[]
  /** Suppresses known findings, lists gone ones, and writes the file where asked; `isWritten` is false if that failed. */
  apply(report: LintReport, scope: RunScope): Promise<{ readonly report: LintReport; readonly isWritten: boolean }>
}

type BaselineArgs = Args<keyof typeof BASELINE_FLAGS | 'cluster' | 'quiet' | 'dry-run'>

const DEFAULT_FILE = 'sluice.baseline.json'

/** Opens the baseline that the flags name; undefined where they name none. Throws {@link InputError}. */
export async function openBaseline(io: Io, args: BaselineArgs, registry: Registry): Promise<Baseline | undefined> {
  const writes = args.has('write-baseline')
  const file = args.value('baseline') ?? (writes ? DEFAULT_FILE : undefined)
  if (file === undefined) return undefined
  if (args.has('cluster')) throw new InputError('--baseline is for findings in files: use it without --cluster')
  const { loadBaseline, nameFrom, namesWithin, storeBaseline } = await import('../../files/baseline-file.ts')
  const stored = loadBaseline(file, io.cwd)
  if ('problem' in stored) throw new InputError(escapeUnsafe(stored.problem))
  if (!stored.known && !writes)
    throw new InputError(
      escapeUnsafe(`${file}: no such file; sluice lint --baseline ${file} --write-baseline creates it`),
    )
  const { applyBaseline, knownFrom } = await import('../../lint/baseline/baseline.ts')
  const { known = [] } = stored
  const nameFile = nameFrom(file, io.cwd)
  const shown = escapeUnsafe(file)
  const print = (line: string) => io.stderr.write(`${line}\n`)
  return {
    unknown: (report) => applyBaseline(report, known, nameFile).report.findings,
    async apply(report, scope) {
      const isNamed = await namesWithin(args.positionals, file, io.cwd)
      const couldFind = await createTest(report, scope, { isNamed, nameFile, registry })
      const result = applyBaseline(report, known, nameFile)
      if (!writes) {
        const gone = result.missing.filter(couldFind)
        if (gone.length > 0 && !args.has('quiet')) print(`note: ${escapeUnsafe(goneNote(file, gone))}`)
        return { report: result.report, isWritten: true }
      }
      if (!scope.isWhole) {
        print(`sluice: ${shown} is not written because not everything could be judged`)
        return { report: result.report, isWritten: false }
      }
      // What this run could not have found stays known.
      const kept = known.filter((one) => !couldFind(one))
      const now = knownFrom(report.findings, kept, nameFile)
      if (args.has('dry-run')) {
        print(`note: ${shown} is not written, because --dry-run writes nothing`)
        return { report: result.report, isWritten: true }
      }
      const problem = storeBaseline(file, now, io.cwd)
      if (problem !== undefined) {
        print(`sluice: ${escapeUnsafe(problem)}`)
        return { report: result.report, isWritten: false }
      }
      print(`note: ${shown} knows ${plural(countOf(now), 'finding')} now`)
      return { report: applyBaseline(report, now, nameFile).report, isWritten: true }
    },
  }
}

/** True for a known finding that this run would have found if it were still there. */
type CouldFind = (known: KnownFinding) => boolean

/** Findings that hide what else is in the text: it cannot be read. */
const HIDING = ['document/syntax', 'document/unreadable']

type TestOptions = {
  /** True for a file of the baseline that the paths name. */
  readonly isNamed: (name: string) => boolean
  /** The name of a file of the report in the baseline. */
  readonly nameFile: (file: string) => string
  readonly registry: Registry
}

async function createTest(
  { findings }: LintReport,
  { settings, isClosed, isCompared }: RunScope,
  { isNamed, nameFile, registry: { rules, systems } }: TestOptions,
): Promise<CouldFind> {
  const { needsClosedWorld, needsPrevious } = await import('../../lint/prerequisites.ts')
  const unread = new Set(findings.filter(({ rule }) => HIDING.includes(rule)).map(({ file }) => nameFile(file)))
  const inactive = rules.filter(
    (rule) =>
      !isActive(rule, settings) ||
      (needsClosedWorld(rule, systems) && !isClosed) ||
      (needsPrevious(rule) && !isCompared),
  )
  const ids = new Set(inactive.map(({ id }) => id))
  return ({ file, rule }) => isNamed(file) && !unread.has(file) && !ids.has(rule)
}

const countOf = (findings: readonly KnownFinding[]): number => findings.reduce((sum, { count }) => sum + count, 0)

const MOST_NAMED = 3

/** `2 findings of sluice.baseline.json are gone: …` */
function goneNote(file: string, gone: readonly KnownFinding[]): string {
  const number = countOf(gone)
  const named = gone.slice(0, MOST_NAMED).map((one) => `${one.rule} in ${one.file}`)
  const rest = gone.length > named.length ? ', …' : ''
  const what = `${plural(number, 'finding')} of ${file} ${number === 1 ? 'is' : 'are'} gone`
  return `${what}: ${named.join(', ')}${rest}; --write-baseline removes ${number === 1 ? 'it' : 'them'}`
}
