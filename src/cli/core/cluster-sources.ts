/** `--cluster` and `--old cluster`: the objects that a cluster stores. Nothing is written there. */

import type { Gap } from '../../cluster/client/list-kind.ts'
import type { Comparison } from '../../files/comparison.ts'
import type { Collected } from '../../files/discover/collect-sources.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { apiNames } from '../../kubernetes/api-groups.ts'
import type { ObjectSource } from '../../project/source.ts'
import { SYSTEMS } from '../../registry.ts'
import type { Settings } from '../../settings/settings.ts'
import { kindTable } from '../../world/kinds.ts'
import type { System } from '../../world/system.ts'
import { createTexts } from '../../yaml/documents.ts'
import type { Args } from './flags.ts'
import type { CLUSTER_FLAGS } from './inputs.ts'
import { InputError, type Io, requireNode } from './io.ts'

type ClusterFlags = Args<keyof typeof CLUSTER_FLAGS>

/** What a cluster stores, and the namespace in which the user is by default. */
type ClusterState = {
  readonly objects: readonly JsonObject[]
  /** What could not be read. */
  readonly gaps: readonly Gap[]
  readonly namespace: string
}

/** The objects to judge, and what is not known of the cluster. */
type CollectedOfCluster = Collected & {
  /** A line each. */
  readonly notes: readonly string[]
  /** The kinds of which nothing is known; undefined where it is not known of which namespaces something is. */
  readonly unknownKinds: ReadonlySet<string> | undefined
}

/** What is read of a cluster. */
export type ClusterOptions = {
  readonly settings: Settings
  /** The namespace that the flags name. */
  readonly namespace: string | undefined
  /** Default: all systems. */
  readonly systems?: readonly System[]
}

/** Reads the objects to judge. Throws {@link InputError} where the cluster cannot be read. */
export async function collectFromCluster(
  io: Io,
  flags: ClusterFlags,
  options: ClusterOptions,
): Promise<CollectedOfCluster> {
  const isAll = flags.has('all-namespaces')
  const { objects, gaps, namespace } = await readCluster(io, flags.value('context'), { ...options, isAll })
  const scope = isAll ? undefined : namespace
  if (scope !== undefined && isMissing(scope, objects)) throw new InputError(`the cluster has no namespace "${scope}"`)
  const isInScope = (object: JsonObject) => scope === undefined || metadataOf(object).namespace === scope
  return {
    // Policies of other namespaces are part of the world; nothing is reported about them.
    sources: objects.map((object): ObjectSource => (isInScope(object) ? { object } : { object, unjudged: true })),
    texts: createTexts(),
    files: objects.filter(isInScope).length,
    problems: [],
    charts: [],
    notJudged: [],
    brokenKustomizations: [],
    notes: notesOf(gaps, namespace),
    unknownKinds: gaps.some(({ isPartial }) => isPartial) ? undefined : new Set(gaps.map(({ kind }) => kind)),
  }
}

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {})

/** True where the namespaces could be read, and one is not among them. */
function isMissing(namespace: string, objects: readonly JsonObject[]): boolean {
  const names = objects.filter(({ kind }) => kind === 'Namespace').map((object) => metadataOf(object).name)
  return names.length > 0 && !names.includes(namespace)
}

/** Prepares the comparison with the objects of a cluster. Throws {@link InputError} where it cannot be read. */
export const openClusterComparison = (io: Io, context: string | undefined, options: ClusterOptions): Comparison => ({
  observer: {},
  async read() {
    const { objects, gaps, namespace } = await readCluster(io, context, { ...options, isAll: false })
    return { sources: objects.map((object) => ({ object })), notes: notesOf(gaps, namespace) }
  },
})

/** `isAll` is true for every namespace. */
type Scope = ClusterOptions & { readonly isAll: boolean }

async function readCluster(io: Io, context: string | undefined, scope: Scope): Promise<ClusterState> {
  requireNode('22.19', io)
  const { settings, namespace: named, systems = SYSTEMS, isAll } = scope
  const { clusterOfUser } = await import('../../cluster/client/kubeconfig.ts')
  const { readStored } = await import('../../cluster/client/list-kind.ts')
  const { kubeconfig, namespace: usual } = opened(() => clusterOfUser({ context }))
  const namespace = named ?? usual
  const kinds = kindTable(systems, apiNames(settings.apiGroups), settings)
  const { objects, gaps } = await readStored(kubeconfig, kinds, isAll ? undefined : namespace)
  const judged = new Set(kinds.kinds.filter(({ judgedAs }) => judgedAs !== undefined).map(({ kind }) => kind))
  const fatal = gaps.find(({ kind, isPartial }) => judged.has(kind) && !isPartial)
  if (fatal) throw new InputError(`no ${fatal.kind} of the cluster can be read: ${fatal.reason}`)
  return { objects, gaps, namespace }
}

/** What is not known: kinds that fail alike share a line. */
function notesOf(gaps: readonly Gap[], namespace: string): readonly string[] {
  const partial = gaps.filter(({ isPartial }) => isPartial)
  const [first] = partial
  const kinds = partial.map(({ kind }) => kind).join(', ')
  const shared = first
    ? [`${kinds}: only those of namespace "${namespace}" can be read, and others are unknown: ${first.reason}`]
    : []
  const others = gaps.flatMap(({ kind, versions }) =>
    versions ? `${kind} (in ${versions.served.join(', ')}, not in ${versions.wanted})` : [],
  )
  const served =
    others.length > 0 ? [`unknown, as the API server serves them in other versions: ${others.join('; ')}`] : []
  const missing = gaps.filter(({ isPartial, versions }) => !isPartial && !versions)
  return [
    ...shared,
    ...served,
    ...missing.map(({ kind, reason }) => `no ${kind} of the cluster can be read: ${reason}`),
  ]
}

function opened<Value>(open: () => Value): Value {
  try {
    return open()
  } catch (error) {
    throw new InputError(error instanceof Error ? error.message : String(error))
  }
}
