/** What a cluster stores at this moment, read once. */

import type { JsonObject } from '../../json/member.ts'
import type { KindTable } from '../../world/kinds.ts'
import { reasonOf, statusOf } from './failure.ts'
import { type WatchedKind, watchedKinds } from './kinds.ts'
import type { KubeConfig } from './library.ts'
import { listKind } from './list-kind.ts'

/** A kind that could not be read as a whole. */
export type Gap = {
  readonly kind: string
  readonly reason: string
  /** True where it could be read in the requested namespace. */
  readonly isPartial: boolean
}

/** The objects of a cluster. */
export type StoredObjects = { readonly objects: readonly JsonObject[]; readonly gaps: readonly Gap[] }

/**
 * Reads all objects of the watched kinds; where the user has no permission for that, those of one namespace. A kind that the API
 * server does not serve has none. Never rejects.
 */
export async function readStored(kubeconfig: KubeConfig, kinds: KindTable, namespace?: string): Promise<StoredObjects> {
  const read = await Promise.all(watchedKinds(kinds).map((kind) => readKind(kind, kubeconfig, namespace)))
  return { objects: read.flatMap(({ objects }) => objects), gaps: read.flatMap(({ gaps }) => gaps) }
}

async function readKind(
  kind: WatchedKind,
  kubeconfig: KubeConfig,
  namespace: string | undefined,
): Promise<StoredObjects> {
  try {
    return { objects: await read(kind, kubeconfig), gaps: [] }
  } catch (error) {
    if (statusOf(error) === 404) return { objects: [], gaps: [] }
    const gap = { kind: kind.kind, reason: reasonOf(error) }
    const isForbidden = statusOf(error) === 403 && kind.resource.namespaced && namespace !== undefined
    const objects = isForbidden ? await read(kind, kubeconfig, namespace).catch(() => undefined) : undefined
    return { objects: objects ?? [], gaps: [{ ...gap, isPartial: objects !== undefined }] }
  }
}

const read = async (kind: WatchedKind, kubeconfig: KubeConfig, namespace?: string): Promise<readonly JsonObject[]> =>
  (await listKind(kind, kubeconfig, { namespace })).items
