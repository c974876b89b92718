/** A run with a baseline: what it knows is set apart, what is gone is told, what is found now is written. */
import { RULES } from '../../../rules/index.ts'
import { isActive } from '../../engine/run.ts'
import { loadBaseline, nameFrom, namesWithin, storeBaseline } from '../../files/baseline-file.ts'
import { type Known, knownFrom, settle } from '../../lint/baseline/baseline.ts'
import { needsPrevious, needsWorld } from '../../lint/prerequisites.ts'
import type { LintReport } from '../../lint/report.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { InputError, type Io } from '../core/io.ts'
import type { Baseline, BaselineFlags, Sight } from './baseline.ts'

/** Opens a baseline. Throws {@link InputError} where there is none to be read. */
export function openFile(file: string, io: Io, given: BaselineFlags): Baseline {
  const writes = given.has('write-baseline')
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
