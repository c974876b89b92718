/** `--baseline` and `--write-baseline`: what is known stays quiet. */
import { RULES } from '../../rules/index.ts'
import { isActive } from '../engine/judge.ts'
import type { Settings } from '../engine/settings.ts'
import { loadBaseline, nameFrom, namesWithin, storeBaseline } from '../files/baseline.ts'
import { type Known, knownFrom, settle } from '../lint/baseline.ts'
import type { LintReport } from '../lint/report.ts'
import { needsPrevious, needsWorld } from '../lint/sight.ts'
import { escapeUnsafe } from '../reports/characters.ts'
import type { Flags, Given } from './flags.ts'
import { InputError, type Io } from './io.ts'

export const BASELINE_FLAGS = {
  baseline: { value: 'FILE', summary: 'keep quiet what this file knows; new findings speak' },
  'write-baseline': { summary: 'write it: what is found now is known' },
} as const satisfies Flags

const DEFAULT_FILE = 'sluice.baseline.json'

/** What a run saw. */
export type Sight = {
  readonly settings: Settings
  /** The given files are all there is. */
  readonly isClosed: boolean
  /** There was an earlier version to compare with. */
  readonly isCompared: boolean
  /** Everything was read, and no rule failed. */
  readonly isWhole: boolean
}

/** The baseline of a run. */
export type Baseline = {
  /** Sets apart what is known, tells what is gone, and writes where it shall; `isWritten` is false where that failed. */
  settle(report: LintReport, sight: Sight): Promise<{ readonly report: LintReport; readonly isWritten: boolean }>
}

/** Opens the baseline that the flags name. Throws {@link InputError} where there is none to be read. */
export function openBaseline(
  io: Io,
  given: Given<keyof typeof BASELINE_FLAGS | 'cluster' | 'quiet'>,
): Baseline | undefined {
  const writes = given.has('write-baseline')
  const file = given.value('baseline') ?? (writes ? DEFAULT_FILE : undefined)
  if (file === undefined) return undefined
  if (given.has('cluster')) throw new InputError('--baseline knows the findings of files: without --cluster')
  const stored = loadBaseline(file, io.cwd)
  if ('problem' in stored) throw new InputError(escapeUnsafe(stored.problem))
  if (!stored.known && !writes)
    throw new InputError(
      escapeUnsafe(`${file}: no such file; sluice lint --baseline ${file} --write-baseline makes it`),
    )
  const { known = [] } = stored
  const turn = { io, file, known, nameFile: nameFrom(file, io.cwd), isQuiet: given.has('quiet') }
  return {
    async settle(report, sight) {
      const isWithin = await namesWithin(given.positionals, file, io.cwd)
      const canTell = createTest(report, sight, isWithin, turn.nameFile)
      return writes ? rewrite(report, sight, canTell, turn) : compare(report, canTell, turn)
    },
  }
}

type Turn = {
  readonly io: Io
  readonly file: string
  readonly known: readonly Known[]
  readonly nameFile: (file: string) => string
  readonly isQuiet: boolean
}

/** Says whether a known finding that was not found is gone: this run could have found it. */
type CanTell = (known: Known) => boolean

/** A text that cannot be read hides what else is in it. */
const HIDING = ['document/syntax', 'document/unreadable']

function createTest(
  { findings }: LintReport,
  { settings, isClosed, isCompared }: Sight,
  isWithin: (name: string) => boolean,
  nameFile: Turn['nameFile'],
): CanTell {
  const hidden = new Set(findings.filter(({ rule }) => HIDING.includes(rule)).map(({ file }) => nameFile(file)))
  const silent = RULES.filter(
    (rule) => !isActive(rule, settings) || (needsWorld(rule) && !isClosed) || (needsPrevious(rule) && !isCompared),
  )
  const ids = new Set(silent.map(({ id }) => id))
  return ({ file, rule }) => isWithin(file) && !hidden.has(file) && !ids.has(rule)
}

function compare(report: LintReport, canTell: CanTell, { io, file, known, nameFile, isQuiet }: Turn) {
  const settled = settle(report, known, nameFile)
  const gone = settled.missing.filter(canTell)
  if (gone.length > 0 && !isQuiet) io.stderr.write(`note: ${escapeUnsafe(goneNote(file, gone))}\n`)
  return { report: settled.report, isWritten: true }
}

const MOST_NAMED = 3

/** `2 findings of sluice.baseline.json are gone: …` */
function goneNote(file: string, gone: readonly Known[]): string {
  const number = gone.reduce((sum, { count }) => sum + count, 0)
  const named = gone.slice(0, MOST_NAMED).map((one) => `${one.rule} in ${one.file}`)
  const rest = gone.length > named.length ? ', …' : ''
  const what = number === 1 ? `1 finding of ${file} is gone` : `${number} findings of ${file} are gone`
  return `${what}: ${named.join(', ')}${rest}; --write-baseline forgets ${number === 1 ? 'it' : 'them'}`
}

/** What this run could not have found stays known. */
function rewrite(report: LintReport, { isWhole }: Sight, canTell: CanTell, { io, file, known, nameFile }: Turn) {
  if (!isWhole) {
    io.stderr.write(`sluice: ${escapeUnsafe(file)} is not written, as not everything could be judged\n`)
    return { report: settle(report, known, nameFile).report, isWritten: false }
  }
  const kept = known.filter((one) => !canTell(one))
  const now = knownFrom(report.findings, kept, nameFile)
  const problem = storeBaseline(file, now, io.cwd)
  if (problem !== undefined) {
    io.stderr.write(`sluice: ${escapeUnsafe(problem)}\n`)
    return { report: settle(report, known, nameFile).report, isWritten: false }
  }
  const number = now.reduce((sum, { count }) => sum + count, 0)
  io.stderr.write(`note: ${escapeUnsafe(file)} knows ${number === 1 ? '1 finding' : `${number} findings`} now\n`)
  return { report: settle(report, now, nameFile).report, isWritten: true }
}
