/** What `sluice lint` judges, and what it compares that with. */

import { collectSources } from '../../files/discover/collect-sources.ts'
import type { Severities } from '../../settings/project.ts'
import type { Settings } from '../../settings/settings.ts'
import { openComparison, orThrow } from '../core/comparison.ts'
import { readNamespace } from '../core/inputs.ts'
import { InputError, type Io } from '../core/io.ts'
import { isComplete } from '../core/print-notes.ts'
import type { Project } from '../core/project.ts'
import type { Progress } from '../core/terminal.ts'
import type { LintFlags } from './flags.ts'
import { readWithin } from './within.ts'

/** Today's manifests, and those that the flags compare them with. Throws {@link InputError}. */
export async function readVersions(
  io: Io,
  given: LintFlags,
  project: Project & { rules: Severities },
  progress: Progress,
) {
  const within = readWithin(given, io.cwd)
  const options = {
    ...project,
    cwd: io.cwd,
    stdin: io.stdin,
    isInputWhole: given.has('fix'),
    within,
    paths: within ?? given.positionals,
    namespace: readNamespace(given.value('namespace')),
    onFile: () => progress.step('reading'),
  }
  if (given.has('cluster')) return { collected: await readLiving(io, given, options), before: undefined }
  const comparison = await openComparison(io, given, options)
  const collected = await collectSources(given.positionals, {
    ...options,
    ...(comparison ? { observer: comparison.observer } : {}),
  })
  const before = comparison && orThrow(await comparison.read(collected.sources))
  const isClosed = given.has('closed-world') && isComplete(collected)
  return { collected: { ...collected, isClosed, notes: [] }, before }
}

/** What lives in a cluster; all of it, unless something cannot be read. */
async function readLiving(io: Io, given: LintFlags, options: { settings: Settings; namespace: string | undefined }) {
  if (given.positionals.length > 0 || given.has('base') || given.has('old'))
    throw new InputError('--cluster judges what lives there: without paths, --base and --old')
  const { collectFromCluster } = await import('../core/cluster-sources.ts')
  const { gaps, ...collected } = await collectFromCluster(io, given, options)
  return { ...collected, isClosed: gaps.length === 0, notes: gaps }
}
