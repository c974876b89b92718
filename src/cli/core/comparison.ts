/** `--base` and `--old`: the version that a run compares with. */

import type { Comparison, ComparisonOptions, ComparisonProblem, Previous } from '../../files/comparison.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Args, Flags } from './flags.ts'
import { InputError, type Io } from './io.ts'

/** The flags that name the version to compare with. */
export const COMPARISON_FLAGS = {
  base: { value: 'REF', summary: 'compare with a commit; REF... is the merge base of REF and HEAD' },
  old: { value: 'PATHS', summary: 'compare with a file, a folder, or "cluster"; repeatable' },
} as const satisfies Flags

/**
 * Prepares the comparison with the version that the flags name; undefined without such flags.
 * Throws {@link InputError} where there is nothing to compare with.
 */
export async function openComparison(
  io: Io,
  args: Args<keyof typeof COMPARISON_FLAGS | 'context'>,
  options: ComparisonOptions & { readonly settings: Settings },
): Promise<Comparison | undefined> {
  const [base, old] = [args.value('base'), args.values('old')]
  if (args.has('context') && !old.includes('cluster'))
    throw new InputError('--context needs --cluster or --old cluster')
  if (base === undefined && old.length === 0) return undefined
  if (base !== undefined && old.length > 0) throw new InputError('use either --base or --old, not both')
  if (old.includes('cluster')) return openCluster(io, args, options)
  if (base === undefined) return orThrow((await import('../../files/comparison.ts')).openOld(old, options))
  return orThrow(await (await import('../../files/git/base.ts')).openBase(base, options))
}

/** The cluster as the previous version. A folder of that name is `./cluster`. */
async function openCluster(
  io: Io,
  args: Args<'old' | 'context'>,
  options: { readonly settings: Settings; readonly namespace?: string | undefined },
): Promise<Comparison> {
  if (args.values('old').length > 1) throw new InputError('--old cluster cannot be combined with another --old')
  return (await import('./cluster-sources.ts')).openClusterComparison(io, args.value('context'), {
    namespace: undefined,
    ...options,
  })
}

/** Returns the value, unless it is a problem. Throws {@link InputError} then. */
export function orThrow<Value extends Comparison | Previous>(value: Value | ComparisonProblem): Value {
  if ('problem' in value) throw new InputError(escapeUnsafe(value.problem))
  return value
}
