/** `sluice lint --fix`: what the flags ask for, and where the text and the report go. */

import type { MendKind } from '../../lint/fix.ts'
import type { LintOutcome } from '../../lint/lint.ts'
import type { Source } from '../../project/source.ts'
import { nearest } from '../../text/nearest.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { wantsColor } from '../core/terminal.ts'

export const FIX_FLAGS = {
  fix: { value: 'all', isOptional: true, summary: 'mend what is safe to mend; all: also what may change behaviour' },
  'dry-run': { summary: 'with --fix: write nothing, print the change as a diff' },
} as const satisfies Flags

/** A run that mends. */
export type Fixing = {
  readonly kinds: ReadonlySet<MendKind>
  /** Nothing is written: the change is shown. */
  readonly isDry: boolean
  /** The standard input is mended, and printed. */
  readonly isPiped: boolean
  /** Whether the diff is painted. */
  readonly color: boolean
  /** The surroundings as the process has them. */
  readonly outer: Io
  /** Those of the lint: its report goes elsewhere where the standard output belongs to the text or to the diff. */
  readonly io: Io
  /** What has been read of the standard input. */
  readonly input: Input
}

/** The bytes of the standard input, as far as somebody asked for them. */
export type Input = { readonly chunks: readonly Uint8Array[]; readonly isWhole: boolean }

/** Texts and what was found in them; `judge` judges the texts that come out. */
export type Judged = {
  readonly sources: readonly Source[]
  readonly outcome: LintOutcome
  judge(sources: readonly Source[]): LintOutcome
}

/** What the files hold after the run. */
export type Fixed = Pick<Judged, 'sources' | 'outcome'> & {
  /** True where a file could not be written. */
  readonly hasFailed: boolean
}

/** Prepares the mending that the flags ask for. Throws {@link InputError}. */
export function openFixing(io: Io, given: Args<keyof typeof FIX_FLAGS | 'cluster' | 'color'>): Fixing | undefined {
  const isDry = given.has('dry-run')
  if (!given.has('fix')) {
    if (isDry) throw new InputError('--dry-run goes with --fix: sluice lint --fix --dry-run')
    return undefined
  }
  if (given.has('cluster')) throw new InputError('--fix mends files, and --cluster reads none: mend the manifests')
  const isPiped = given.positionals.includes('-')
  if (isPiped && given.positionals.length > 1)
    throw new InputError('--fix prints the standard input as mended: let - stand alone')
  const input = { chunks: [], isWhole: false }
  const output = isPiped || isDry ? { stdout: io.stderr } : {}
  return {
    kinds: readKinds(given.value('fix')),
    isDry,
    isPiped,
    outer: io,
    color: wantsColor(given.value('color'), io.stdout, io),
    io: { ...io, ...output, stdin: kept(io.stdin, input) },
    input,
  }
}

function readKinds(value: string | undefined): ReadonlySet<MendKind> {
  if (value === '') return new Set<MendKind>(['safe'])
  if (value === 'all') return new Set<MendKind>(['safe', 'opt-in'])
  const hint = nearest(value ?? '', ['all', 'safe']) === 'all' ? 'did you mean --fix=all?' : 'write --fix or --fix=all'
  throw new InputError(`--fix=${value}: ${hint}`)
}

function* kept(stdin: Io['stdin'], input: { chunks: Uint8Array[]; isWhole: boolean }): Iterable<Uint8Array> {
  for (const chunk of stdin) {
    input.chunks.push(chunk)
    yield chunk
  }
  input.isWhole = true
}
