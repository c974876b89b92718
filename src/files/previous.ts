/** The version of the manifests that a run compares with: those of a commit, or those of other folders. */
import type { NamespaceHint, Source, TextSource } from '../project/source.ts'
import type { CollectSourcesOptions } from './discover/collect-sources.ts'
import type { Watch } from './discover/sources.ts'

/** What was there before. */
export type Previous = {
  readonly sources: readonly Source[]
  /** What the user should know about it, a line each. */
  readonly notes: readonly string[]
}

/** A version that can be read once today's has been. */
export type Comparison = {
  readonly watch: Watch
  /** Answers with a problem where it cannot be read. */
  read(today: readonly Source[]): Promise<Previous | Refusal>
}

/** Why there is nothing to compare with: one line that says what to do. */
export type Refusal = { readonly problem: string }

/** What is compared: the options of the run, with today's paths. */
export type ComparisonOptions = CollectSourcesOptions & {
  /** As on the command line. */
  readonly paths: readonly string[]
}

/** The paths that are no standard input; the current folder where there are none. */
export function pathsOnDisk(paths: readonly string[]): readonly string[] {
  const named = paths.filter((path) => path !== '-')
  return named.length === 0 ? ['.'] : named
}

/** Today's text in place of an old one that says the same in the same surroundings: it need not be read again. */
export function shareWith(today: Iterable<Source>): (old: TextSource) => TextSource {
  const byFile = new Map([...today].flatMap((source) => ('object' in source ? [] : [[source.file, source] as const])))
  return (old) => {
    const now = byFile.get(old.file)
    return now && now.text === old.text && isSamePlace(now, old) ? now : old
  }
}

const isSamePlace = (a: TextSource, b: TextSource): boolean =>
  a.world === b.world && a.renamed === b.renamed && a.problem === undefined && isSameHint(a.namespace, b.namespace)

const isSameHint = (a: NamespaceHint | undefined, b: NamespaceHint | undefined): boolean =>
  a?.override === b?.override && a?.fallback === b?.fallback
