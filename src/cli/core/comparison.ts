/** `--base` and `--old`: the version that a run compares with. */

import type { Comparison, ComparisonOptions, Previous, Refusal } from '../../files/previous.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Flags, Given } from './flags.ts'
import { InputError, type Io } from './io.ts'

export const COMPARISON_FLAGS = {
  base: { value: 'REF', summary: 'compare with a commit; REF... is where REF and HEAD part' },
  old: { value: 'PATHS', summary: 'compare with a file, a folder, or "cluster"; repeatable' },
} as const satisfies Flags

/** Prepares the comparison that the flags ask for. Throws {@link InputError} where there is nothing to compare with. */
export async function openComparison(
  io: Io,
  given: Given<keyof typeof COMPARISON_FLAGS | 'context'>,
  options: ComparisonOptions & { readonly settings: Settings },
): Promise<Comparison | undefined> {
  const [base, old] = [given.value('base'), given.values('old')]
  if (base === undefined && old.length === 0) return undefined
  if (base !== undefined && old.length > 0) throw new InputError('--base and --old exclude each other')
  if (old.includes('cluster')) return openLiving(io, given, options)
  if (base === undefined) return sure((await import('../../files/old.ts')).openOld(old, options))
  return sure(await (await import('../../files/git/base.ts')).openBase(base, options))
}

/** The cluster as the earlier version: a folder of that name is `./cluster`. */
async function openLiving(
  io: Io,
  given: Given<'old' | 'context'>,
  options: { readonly settings: Settings; readonly namespace?: string | undefined },
): Promise<Comparison> {
  if (given.values('old').length > 1) throw new InputError('--old cluster stands alone')
  return (await import('./cluster-sources.ts')).openClusterComparison(io, given.value('context'), {
    namespace: undefined,
    ...options,
  })
}

/** Passes on what is no refusal. Throws {@link InputError}. */
export function sure<Value extends Comparison | Previous>(value: Value | Refusal): Value {
  if ('problem' in value) throw new InputError(escapeUnsafe(value.problem))
  return value
}
