/** The objects of one kind as its watch holds them, read when a lookup first asks for them. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { groupBy } from '../../text/group.ts'
import { cachedBy, lazily } from '../../world/cache.ts'
import { indexIdentities } from '../../world/identities.ts'
import { type KindObjects, noObjects, type ObjectView } from '../../world/objects.ts'
import type { Kind } from '../../world/system.ts'

/** What a watch knows of its kind. */
export type WatchedObjects = {
  readonly objects: readonly JsonObject[]
  /** False where objects may be missing: then the snapshot has none of them. */
  readonly known: boolean
}

/** Makes the snapshots of one kind from successive states: the list of a namespace in which nothing changed stays. */
export function createSnapshots(kind: Kind): (stored: WatchedObjects) => KindObjects {
  // Views are kept with their objects: after one change the other objects are not read again.
  const cachedView = cachedBy((object: JsonObject): ObjectView => kind.read(object))
  // Called by map: its other arguments are no keys of the cache.
  const viewOf = (object: JsonObject): ObjectView => cachedView(object)
  let parts: ReadonlyMap<string, Part> = new Map()
  return ({ objects, known }) => {
    if (!known) return noObjects(false)
    parts = new Map(
      [...groupBy(objects, namespaceOf)].map(([namespace, own]): [string, Part] => {
        const last = parts.get(namespace)
        return [namespace, last && isSameList(last.objects, own) ? last : partOf(own, viewOf)]
      }),
    )
    return snapshotOf(
      parts,
      lazily(() => objects.map(viewOf)),
    )
  }
}

/** The objects of one namespace, which are read when a review first needs them. */
type Part = { readonly objects: readonly JsonObject[]; views(): readonly ObjectView[] }

const partOf = (objects: readonly JsonObject[], viewOf: (object: JsonObject) => ObjectView): Part => ({
  objects,
  views: lazily(() => objects.map(viewOf)),
})

const NONE: readonly never[] = []

/** Every object that a cluster stores existed before the change that is reviewed. */
function snapshotOf(parts: ReadonlyMap<string, Part>, all: () => readonly ObjectView[]): KindObjects {
  const objects: KindObjects = {
    all,
    in: (namespace) => (namespace === undefined ? NONE : (parts.get(namespace)?.views() ?? NONE)),
    index: lazily(() => indexIdentities(all(), true)),
    closed: true,
  }
  return { ...objects, before: objects }
}

function namespaceOf({ metadata }: JsonObject): string {
  const namespace = isObject(metadata) ? metadata.namespace : undefined
  return typeof namespace === 'string' ? namespace : ''
}

const isSameList = (some: readonly JsonObject[], others: readonly JsonObject[]): boolean =>
  some.length === others.length && some.every((object, index) => object === others[index])
