/** `--cluster` and `--old cluster`: what lives in a cluster, as texts to judge. Nothing is written there. */
import { RULES } from '../../rules/index.ts'
import { writeDocuments } from '../documents/write.ts'
import type { RuleSetting, Settings } from '../engine/settings.ts'
import type { Collected } from '../files/index.ts'
import type { Comparison } from '../files/previous.ts'
import type { Source } from '../lint/source.ts'
import { apiNames } from '../names.ts'
import type { CLUSTER_FLAGS } from './cluster-flags.ts'
import type { Given } from './flags.ts'
import { InputError, type Io } from './io.ts'
import { requireNode } from './node-version.ts'

type ClusterFlags = Given<keyof typeof CLUSTER_FLAGS>

/** What a cluster stores, and the namespace that a person means who names none. */
type Living = { readonly sources: readonly Source[]; readonly gaps: readonly string[]; readonly namespace: string }

/** Policies of other namespaces are part of the world, and nobody asked about them. */
const NOT_JUDGED: Readonly<Record<string, RuleSetting>> = Object.fromEntries(RULES.map(({ id }) => [id, 'off']))

/** Reads the objects to judge. Throws {@link InputError} where the cluster cannot be asked. */
export async function collectFromCluster(
  io: Io,
  given: ClusterFlags,
  { settings, namespace: named }: { readonly settings: Settings; readonly namespace: string | undefined },
): Promise<Collected & { readonly gaps: readonly string[] }> {
  const { sources, gaps, namespace } = await readCluster(io, given.value('context'), settings)
  const wanted = given.has('all-namespaces') ? undefined : (named ?? namespace)
  const isWanted = ({ file }: Source) => wanted === undefined || file.startsWith(`${wanted}/`)
  return {
    sources: sources.map((source) => (isWanted(source) ? source : { ...source, rules: NOT_JUDGED })),
    files: sources.filter(isWanted).length,
    problems: [],
    charts: [],
    brokenKustomizations: [],
    gaps,
  }
}

/** Prepares the comparison with what lives in a cluster. Throws {@link InputError} where it cannot be asked. */
export const openClusterComparison = (io: Io, context: string | undefined, settings: Settings): Comparison => ({
  watch: {},
  async read() {
    const { sources, gaps } = await readCluster(io, context, settings)
    return { sources, notes: gaps }
  },
})

async function readCluster(io: Io, context: string | undefined, { apiGroups }: Settings): Promise<Living> {
  requireNode('22.19', io)
  const { clusterOfUser } = await import('../cluster/kubeconfig.ts')
  const { readStored } = await import('../cluster/stored.ts')
  const { kubeconfig, namespace } = opened(() => clusterOfUser(context))
  const { objects, gaps } = await readStored(kubeconfig, apiNames(apiGroups))
  const fatal = gaps.find(({ kind }) => kind === 'RateLimitPolicy')
  if (fatal) throw new InputError(`the cluster's policies cannot be read: ${fatal.reason}`)
  return {
    sources: objects.map((object) => ({ file: nameOf(object), text: writeDocuments([object]) })),
    gaps: gaps.map(({ kind, reason }) => `no ${kind} of the cluster can be read: ${reason}`),
    namespace,
  }
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
