/** What one run of `sluice lint` reads: today's sources, and those that they are compared with. */
import type { Previous } from '../../files/comparison.ts'
import { type Collected, collectSources } from '../../files/discover/collect-sources.ts'
import type { FileObserver } from '../../files/discover/read-sources.ts'
import { mentionsIn } from '../../registry.ts'
import type { Severities } from '../../settings/settings.ts'
import { createTexts } from '../../yaml/documents.ts'
import { openComparison, orThrow } from '../core/comparison.ts'
import { readNamespace } from '../core/inputs.ts'
import { InputError } from '../core/io.ts'
import { isComplete } from '../core/print-notes.ts'
import type { Project } from '../core/project.ts'
import type { LintArgs } from './args.ts'

/** Where manifests are read, and how. */
export type SourceOptions = ReturnType<typeof sourceOptions>

/** How the manifests of a run are read. */
export function sourceOptions(args: LintArgs, project: Project, rules: Severities) {
  const { io, flags, within, stdinFile, progress, registry } = args
  return {
    ...project,
    rules,
    systems: registry.systems,
    mentions: mentionsIn(registry.systems, project.settings),
    cwd: io.cwd,
    stdin: io.stdin,
    isInputWhole: flags.has('fix'),
    within,
    paths: within ?? flags.positionals,
    exclude: flags.values('exclude'),
    stdinFile,
    namespace: readNamespace(flags.value('namespace')),
    onFile: () => progress.step('reading'),
    texts: createTexts(),
  }
}

/** Today's sources, and the version that they are compared with. */
export type Inputs = {
  readonly collected: Collected & {
    /** The user said that the sources are all there is, and all of them could be read. */
    readonly isClosed: boolean
    /** Where they are all there is but for these kinds; undefined where they are not. */
    readonly unknownKinds?: ReadonlySet<string> | undefined
    readonly notes: readonly string[]
  }
  readonly previous: Previous | undefined
}

/**
 * Reads today's manifests, which `observer` sees too, and those that the flags compare them with. Throws
 * {@link InputError}.
 */
export async function readInputs(
  { io, flags }: LintArgs,
  options: SourceOptions,
  observer?: FileObserver,
): Promise<Inputs> {
  if (flags.has('cluster')) {
    if (flags.positionals.length > 0 || flags.has('base') || flags.has('old'))
      throw new InputError('--cluster judges what a cluster stores: use it without paths, --base and --old')
    const { collectFromCluster } = await import('../core/cluster-sources.ts')
    const collected = await collectFromCluster(io, flags, options)
    return { collected: { ...collected, isClosed: collected.notes.length === 0 }, previous: undefined }
  }
  const comparison = await openComparison(io, flags, options)
  const collected = await collectSources(flags.positionals, {
    ...options,
    isAlone: comparison?.isAlone,
    observer: { ...comparison?.observer, ...observer },
  })
  const previous = comparison && orThrow(await comparison.read(collected.sources))
  const isClosed = flags.has('closed-world') && isComplete(collected)
  return { collected: { ...collected, isClosed, notes: [] }, previous }
}
