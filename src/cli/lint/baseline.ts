/** `--baseline` and `--write-baseline`: findings that the file knows are suppressed. */
import { isActive } from '../../engine/run.ts'
import { expiredProblem, termsOf } from '../../engine/suppression.ts'
import { sorted } from '../../lint/describe.ts'
import { countsOf, type LintReport, type ReportedFinding } from '../../lint/report.ts'
import { type Registry, withPolicies } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import { isDate } from '../../text/date.ts'
import { counted } from '../../text/plural.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'

type KnownFinding = import('../../lint/baseline/baseline.ts').KnownFinding

export const BASELINE_FLAGS = {
  baseline: { value: 'FILE', summary: 'suppress the findings that this file knows; report new ones' },
  'write-baseline': { summary: 'write the file: what is found now is known from now on' },
  until: {
    value: 'DATE',
    needs: ['write-baseline'],
    summary: 'the last day (UTC) of what --write-baseline adds: 2027-01-31',
  },
  owner: { value: 'NAME', needs: ['write-baseline'], summary: 'who answers for what --write-baseline adds' },
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
  const { known = [], text = '' } = stored
  const today = io.today()
  const terms = readTerms(args, today)
  const nameFile = nameFrom(file, io.cwd)
  const shown = escapeUnsafe(file)
  const print = (line: string) => io.stderr.write(`${line}\n`)
  return {
    unknown: (report) => applyBaseline(report, known, nameFile, today).report.findings,
    async apply(report, scope) {
      const isNamed = await namesWithin(args.positionals, file, io.cwd)
      const couldFind = await createTest(report, scope, { isNamed, nameFile, registry })
      const result = applyBaseline(report, known, nameFile, today)
      if (!writes) {
        const gone = result.missing.filter(couldFind)
        if (gone.length > 0 && !args.has('quiet')) print(`note: ${escapeUnsafe(goneNote(file, gone))}`)
        const expired =
          result.expired.length === 0 ? [] : await expiredFindings(result.expired, { file, text, known }, scope)
        return { report: withFindings(result.report, expired), isWritten: true }
      }
      if (!scope.isWhole) {
        print(`sluice: ${shown} is not written because not everything could be judged`)
        return { report: result.report, isWritten: false }
      }
      // What this run could not have found stays known.
      const kept = known.filter((one) => !couldFind(one))
      const now = knownFrom(report.findings, kept, nameFile, { known, terms, today })
      if (args.has('dry-run')) {
        print(`note: ${shown} is not written, because --dry-run writes nothing`)
        return { report: result.report, isWritten: true }
      }
      const problem = storeBaseline(file, now, io.cwd)
      if (problem !== undefined) {
        print(`sluice: ${escapeUnsafe(problem)}`)
        return { report: result.report, isWritten: false }
      }
      print(`note: ${shown} knows ${counted(countOf(now), 'finding')} now`)
      return { report: applyBaseline(report, now, nameFile, today).report, isWritten: true }
    },
  }
}

/** How long what is new is known, and who answers for it. Throws {@link InputError}. */
function readTerms(args: BaselineArgs, today: string): Pick<KnownFinding, 'until' | 'owner'> {
  const [until, owner] = [args.value('until'), args.value('owner')]
  if (until !== undefined && !isDate(until))
    throw new InputError(`--until must be a day such as 2027-01-31; got "${until}"`)
  if (until !== undefined && until < today) throw new InputError(`--until ${until} is over: today is ${today} (UTC)`)
  if (owner !== undefined && !/^[^\s,]+$/.test(owner))
    throw new InputError(`--owner must be one word without a comma, such as team-a; got "${owner}"`)
  return termsOf({ until, owner })
}

type BaselineFile = { readonly file: string; readonly text: string; readonly known: readonly KnownFinding[] }

/** Each entry that has ended while its finding is still there, at its line of the file. */
async function expiredFindings(
  expired: readonly KnownFinding[],
  { file, text, known }: BaselineFile,
  { settings }: Pick<RunScope, 'settings'>,
): Promise<readonly ReportedFinding[]> {
  const { judgeSuppressions } = await import('../../lint/lint.ts')
  const { placesOf } = await import('../../lint/baseline/baseline.ts')
  const places = placesOf(text)
  const problems = expired.map((one) =>
    expiredProblem(one, {
      directive: `the entry for ${one.rule}`,
      place: places[known.indexOf(one)] ?? { start: 0, end: 0 },
    }),
  )
  return judgeSuppressions({ file, text, problems }, { settings })
}

function withFindings(report: LintReport, more: readonly ReportedFinding[]): LintReport {
  if (more.length === 0) return report
  const findings = sorted([...report.findings, ...more])
  return { ...report, findings, summary: { ...report.summary, ...countsOf(findings) } }
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
  { isNamed, nameFile, registry }: TestOptions,
): Promise<CouldFind> {
  const { needsClosedWorld, needsPrevious } = await import('../../lint/prerequisites.ts')
  const { rules, systems } = withPolicies(registry, settings)
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
  const what = `${counted(number, 'finding')} of ${file} ${number === 1 ? 'is' : 'are'} gone`
  return `${what}: ${named.join(', ')}${rest}; --write-baseline removes ${number === 1 ? 'it' : 'them'}`
}
