/** `--baseline` and `--write-baseline`: what is known stays quiet. */

import type { LintReport } from '../../lint/report.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

export const BASELINE_FLAGS = {
  baseline: { value: 'FILE', summary: 'keep quiet what this file knows; new findings speak' },
  'write-baseline': { summary: 'write it: what is found now is known' },
} as const satisfies Flags

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

/** What a command line says of it. */
export type BaselineFlags = Args<keyof typeof BASELINE_FLAGS | 'cluster' | 'quiet'>

const DEFAULT_FILE = 'sluice.baseline.json'

/** The file that the flags name; undefined where they name none. Throws {@link InputError}. */
export function baselineFile(given: BaselineFlags): string | undefined {
  const file = given.value('baseline') ?? (given.has('write-baseline') ? DEFAULT_FILE : undefined)
  if (file !== undefined && given.has('cluster'))
    throw new InputError('--baseline knows the findings of files: without --cluster')
  return file
}
