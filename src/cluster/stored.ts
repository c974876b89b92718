/** What a cluster stores at this moment, read once. */
import type { KubeConfig } from '@kubernetes/client-node'
import { isObject, type JsonObject } from '../gateway/member.ts'
import type { ApiNames } from '../names.ts'
import { reasonOf, statusOf } from './failure.ts'
import { type WatchedKind, watchedKinds } from './kinds.ts'
import { listKind } from './list-kind.ts'

/** The objects of a cluster. */
export type Stored = {
  readonly objects: readonly JsonObject[]
  /** Kinds that could not be read, each with the reason. */
  readonly gaps: readonly { readonly kind: string; readonly reason: string }[]
}

/** Reads all objects of the watched kinds. A kind that the API server does not serve has none. Never rejects. */
export async function readStored(kubeconfig: KubeConfig, names: ApiNames): Promise<Stored> {
  const read = await Promise.all(watchedKinds(names).map((kind) => readKind(kind, kubeconfig)))
  return { objects: read.flatMap(({ objects }) => objects), gaps: read.flatMap(({ gaps }) => gaps) }
}

async function readKind(kind: WatchedKind, kubeconfig: KubeConfig): Promise<Stored> {
  try {
    const { items } = await listKind(kind, kubeconfig)
    return { objects: items.filter(isObject), gaps: [] }
  } catch (error) {
    if (statusOf(error) === 404) return { objects: [], gaps: [] }
    return { objects: [], gaps: [{ kind: kind.kind, reason: reasonOf(error) }] }
  }
}
