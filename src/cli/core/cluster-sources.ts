/** `--cluster` and `--old cluster`: what lives in a cluster, as texts to judge. Nothing is written there. */

import type { Comparison } from '../../files/comparison.ts'
import type { Collected } from '../../files/discover/collect-sources.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import type { Source } from '../../project/source.ts'
import type { Settings } from '../../settings/settings.ts'
import { writeDocuments } from '../../yaml/write.ts'
import type { Args } from './flags.ts'
import type { CLUSTER_FLAGS } from './inputs.ts'
import { InputError, type Io, requireNode } from './io.ts'

type Gap = import('../../cluster/client/stored.ts').Gap
type ClusterFlags = Args<keyof typeof CLUSTER_FLAGS>

/** What a cluster stores, and the namespace that a person means who names none. */
type Living = { readonly sources: readonly Source[]; readonly gaps: readonly string[]; readonly namespace: string }

/** Reads the objects to judge. Throws {@link InputError} where the cluster cannot be asked. */
export async function collectFromCluster(
  io: Io,
  given: ClusterFlags,
  { settings, namespace: named }: { readonly settings: Settings; readonly namespace: string | undefined },
): Promise<Collected & { readonly gaps: readonly string[] }> {
  const isAll = given.has('all-namespaces')
  const { sources, gaps, namespace } = await readCluster(io, given.value('context'), { settings, named, isAll })
  const wanted = isAll ? undefined : namespace
  if (wanted !== undefined && isMissing(wanted, sources))
    throw new InputError(`the cluster has no namespace "${wanted}"`)
  const isWanted = ({ file }: Source) => wanted === undefined || file.startsWith(`${wanted}/`)
  return {
    // Policies of other namespaces are part of the world, and nobody asked about them.
    sources: sources.map((source) => (isWanted(source) ? source : { ...source, unjudged: true })),
    files: sources.filter(isWanted).length,
    problems: [],
    charts: [],
    brokenKustomizations: [],
    gaps,
  }
}

/** True where the namespaces could be read, and one is not among them. */
function isMissing(namespace: string, sources: readonly Source[]): boolean {
  const names = sources.filter(({ file }) => file.startsWith('Namespace/')).map(({ file }) => file)
  return names.length > 0 && !names.includes(`Namespace/${namespace}`)
}

/** Prepares the comparison with what lives in a cluster. Throws {@link InputError} where it cannot be asked. */
export const openClusterComparison = (
  io: Io,
  context: string | undefined,
  { settings, namespace }: { readonly settings: Settings; readonly namespace: string | undefined },
): Comparison => ({
  observer: {},
  async read() {
    const { sources, gaps } = await readCluster(io, context, { settings, named: namespace, isAll: false })
    return { sources, notes: gaps }
  },
})

type Wanted = {
  readonly settings: Settings
  /** The namespace that the flags name. */
  readonly named: string | undefined
  /** True where every namespace is asked about: then one of them is no answer. */
  readonly isAll: boolean
}

async function readCluster(io: Io, context: string | undefined, { settings, named, isAll }: Wanted): Promise<Living> {
  requireNode('22.19', io)
  const { clusterOfUser } = await import('../../cluster/client/kubeconfig.ts')
  const { readStored } = await import('../../cluster/client/stored.ts')
  const { kubeconfig, namespace: usual } = opened(() => clusterOfUser(context))
  const namespace = named ?? usual
  const { objects, gaps } = await readStored(kubeconfig, apiNames(settings.apiGroups), isAll ? undefined : namespace)
  const fatal = gaps.find(({ kind, isPartial }) => kind === 'RateLimitPolicy' && !isPartial)
  if (fatal) throw new InputError(`the cluster's policies cannot be read: ${fatal.reason}`)
  return {
    sources: objects.map((object) => ({ file: nameOf(object), text: writeDocuments([object]) })),
    gaps: notesOf(gaps, namespace),
    namespace,
  }
}

/** What is not known, in words: kinds that fail alike share a line. */
function notesOf(gaps: readonly Gap[], namespace: string): readonly string[] {
  const partial = gaps.filter(({ isPartial }) => isPartial)
  const [first] = partial
  const kinds = partial.map(({ kind }) => kind).join(', ')
  const shared = first
    ? [
        `${kinds}: only those of namespace "${namespace}" can be read (${first.reason} to more); what else there is stays unknown`,
      ]
    : []
  const missing = gaps.filter(({ isPartial }) => !isPartial)
  return [...shared, ...missing.map(({ kind, reason }) => `no ${kind} of the cluster can be read: ${reason}`)]
}

function opened<Value>(open: () => Value): Value {
  try {
    return open()
  } catch (error) {
    throw new InputError(error instanceof Error ? error.message : String(error))
  }
}

/** How the report names an object: `shop/RateLimitPolicy/limits`. */
function nameOf({ kind, metadata }: { readonly kind?: unknown; readonly metadata?: unknown }): string {
  const { namespace, name }: { namespace?: unknown; name?: unknown } = Object(metadata)
  return [namespace, kind, name].filter((part) => typeof part === 'string').join('/')
}
