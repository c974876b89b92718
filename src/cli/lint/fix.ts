/** `sluice lint --fix`: fixes texts, then writes, prints or shows them. */
import { resolve } from 'node:path'
import type { Fix } from '../../lint/describe.ts'
import type { FixedSources, FixKind, LeftFinding } from '../../lint/fix.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { LintReport, ReportedFinding } from '../../lint/report.ts'
import { fileOf, type Source, textOf } from '../../project/source.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { nearest } from '../../text/nearest.ts'
import { counted } from '../../text/plural.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

export const FIX_FLAGS = {
  fix: {
    value: 'all',
    isOptional: true,
    choices: ['all'],
    summary: 'fix what is safe to fix; all: also what may change behaviour',
  },
  'dry-run': { summary: 'with --fix: write nothing, print the change as a diff' },
} as const satisfies Flags

/** A run that fixes. */
export type Fixing = {
  readonly kinds: ReadonlySet<FixKind>
  /** Nothing is written: the change is shown. */
  readonly isDry: boolean
  /** The standard input is fixed, and printed. */
  readonly isPiped: boolean
  /** The paths of the command line. */
  readonly named: readonly string[]
  /** Whether the diff is coloured. */
  readonly color: boolean
  /** Input and output of the process. */
  readonly outer: Io
  /** Those of the lint: its report goes to the standard error where the standard output gets the text or the diff. */
  readonly io: Io
  /** What has been read of the standard input. */
  readonly input: Input
}

/** The bytes of the standard input, as far as they were read. */
type Input = { readonly chunks: readonly Uint8Array[]; readonly isWhole: boolean }

/** Sources and what was found in them; `judge` judges the sources that result. */
export type Judged = {
  readonly sources: readonly Source[]
  readonly outcome: LintOutcome
  judge(sources: readonly Source[]): LintOutcome
  /** The findings of a report that the flags leave in it: nothing else is fixed. */
  reported(report: LintReport): readonly ReportedFinding[]
}

/** What the files hold after the run. */
export type Fixed = Pick<Judged, 'sources' | 'outcome'> & {
  /** True where a file could not be written. */
  readonly hasFailed: boolean
}

/** Reads the flags; undefined without `--fix`. Throws {@link InputError}. */
export function readFixing(io: Io, args: Args<keyof typeof FIX_FLAGS | 'cluster' | 'color'>): Fixing | undefined {
  const isDry = args.has('dry-run')
  if (!args.has('fix')) {
    if (isDry) throw new InputError('--dry-run goes with --fix: sluice lint --fix --dry-run')
    return undefined
  }
  if (args.has('cluster')) throw new InputError('--fix changes files, and --cluster reads none: fix the manifests')
  const isPiped = args.positionals.includes('-')
  if (isPiped && args.positionals.length > 1)
    throw new InputError('--fix prints the fixed standard input: name no other path beside -')
  const input = { chunks: [], isWhole: false }
  const output = isPiped || isDry ? { stdout: io.stderr } : {}
  return {
    kinds: readKinds(args.value('fix')),
    isDry,
    isPiped,
    named: args.positionals,
    outer: io,
    color: wantsColor(args.value('color'), io.stdout, io),
    io: { ...io, ...output, stdin: recorded(io.stdin, input) },
    input,
  }
}

function readKinds(value: string | undefined): ReadonlySet<FixKind> {
  if (value === '') return new Set<FixKind>(['safe'])
  if (value === 'all') return new Set<FixKind>(['safe', 'opt-in'])
  const hint = nearest(value ?? '', ['all', 'safe']) === 'all' ? 'did you mean --fix=all?' : 'write --fix or --fix=all'
  throw new InputError(`--fix=${value}: ${hint}`)
}

function* recorded(stdin: Io['stdin'], input: { chunks: Uint8Array[]; isWhole: boolean }): Iterable<Uint8Array> {
  for (const chunk of stdin) {
    input.chunks.push(chunk)
    yield chunk
  }
  input.isWhole = true
}

/** Fixes the sources of a run, and writes, prints or shows them. */
export async function runFixing(fixing: Fixing, { sources, outcome: first, judge, reported }: Judged): Promise<Fixed> {
  const { kinds, isDry, isPiped, named, outer: io } = fixing
  const { fixSources } = await import('../../lint/fix.ts')
  const result = fixSources(sources, first, { kinds, judge, reported })
  const changes = changesOf(sources, result, io)
  const failed = new Set<string>()
  if (isDry) await showDiff(changes, fixing, io)
  else if (isPiped)
    io.stdout.write(changes[0]?.after ?? (await unchangedInput(fixing.input)), io.stdout.isTTY ? 'text' : 'exact')
  else {
    const { rewriteFiles } = await import('../../files/write/rewrite-files.ts')
    for (const { file, reason } of await rewriteFiles(changes, { cwd: io.cwd, named })) {
      io.stderr.write(`sluice: ${escapeUnsafe(`${file}: ${reason}`)}\n`)
      failed.add(file)
    }
  }
  const others = reported(first.report).filter((finding) => isOfOtherKind(first.fixes.get(finding), kinds))
  await printSummary(result, { failed, isDry, more: others.length }, io)
  if (isDry) return { sources, outcome: first, hasFailed: false }
  if (failed.size === 0) return { ...result, hasFailed: false }
  const now = result.sources.map((source, index) => (failed.has(fileOf(source)) ? (sources[index] ?? source) : source))
  return { sources: now, outcome: judge(now), hasFailed: true }
}

/** The standard input where nothing in it is fixed; empty where it could not be read as a whole. */
async function unchangedInput({ chunks, isWhole }: Input): Promise<string> {
  const { decodeText } = await import('../../yaml/decode.ts')
  const { text, problem } = decodeText(Buffer.concat(chunks))
  return isWhole && !problem ? text : ''
}

type Change = { readonly file: string; readonly path: string; readonly before: string; readonly after: string }

function changesOf(before: readonly Source[], { sources }: FixedSources, { cwd }: Io): readonly Change[] {
  return sources.flatMap((source, index) => {
    const old = before[index]
    if (!old || old === source) return []
    const file = fileOf(source)
    return [{ file, path: resolve(cwd, file), before: textOf(old), after: textOf(source) }]
  })
}

/** Prints a diff; coloured for a terminal. */
async function showDiff(changes: readonly Change[], { color }: Fixing, { stdout }: Io): Promise<void> {
  const { showDiff: paintDiff, unifiedDiff } = await import('../../reports/unified-diff.ts')
  const { createPaint } = await import('../../reports/style.ts')
  const diff = unifiedDiff(changes)
  stdout.write(stdout.isTTY || color ? paintDiff(diff, createPaint(color)) : diff)
}

const isOfOtherKind = (fix: Fix | undefined, kinds: ReadonlySet<FixKind>): boolean =>
  fix !== undefined && !kinds.has(fix.kind)

/** `more` is the number of findings that `--fix=all` would fix too. */
type Summary = Pick<Fixing, 'isDry'> & { readonly failed: ReadonlySet<string>; readonly more: number }

/** Prints how much was fixed, and what was not. */
async function printSummary(
  { fixed, left }: FixedSources,
  { failed, isDry, more }: Summary,
  { stderr }: Io,
): Promise<void> {
  const { STDIN } = await import('../../files/discover/stdin.ts')
  const written = [...fixed].filter(([file]) => !failed.has(file))
  const count = written.reduce((sum, [, findings]) => sum + findings, 0)
  const verb = isDry ? 'would fix' : 'fixed'
  const where = written.length === 1 && written[0]?.[0] === STDIN ? '' : ` in ${counted(written.length, 'file')}`
  stderr.write(count === 0 ? 'nothing to fix\n' : `${verb} ${counted(count, 'finding')}${where}\n`)
  for (const [reason, why] of Object.entries(WHY))
    printLeft(
      left.filter((one) => one.reason === reason),
      why,
      stderr,
    )
  if (more > 0) stderr.write(`note: --fix=all would fix ${counted(more, 'more finding')}, which may change behaviour\n`)
}

const WHY: Readonly<Record<LeftFinding['reason'], string>> = {
  shared: 'because an anchor would carry the change to other places',
  unsafe: 'because the text has no safe place for the change',
  later: 'because other changes are in the way',
}

/** So many places of one kind are named. */
const MOST_PLACES = 3

function printLeft(left: readonly LeftFinding[], why: string, stderr: Io['stderr']): void {
  if (left.length === 0) return
  const places = left.slice(0, MOST_PLACES).map(({ finding: { file, line } }) => `${file}:${line}`)
  const rest = left.length > MOST_PLACES ? ` and ${left.length - MOST_PLACES} more` : ''
  stderr.write(`note: ${counted(left.length, 'finding')} not fixed ${why}: ${escapeUnsafe(places.join(', '))}${rest}\n`)
}
