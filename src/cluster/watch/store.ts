/** The objects of one kind as its watch last received them, and as lookups get them. */
import { isObject, type JsonObject } from '../../json/member.ts'
import { knownNamespace } from '../../kubernetes/metadata.ts'
import { compareText } from '../../text/order.ts'
import { lazily } from '../../world/cache.ts'
import type { Identities } from '../../world/identities.ts'
import { ABSENT, found, UNKNOWN } from '../../world/lookup.ts'
import type { Grouping, KindObjects, ObjectView } from '../../world/objects.ts'
import type { Kind } from '../../world/system.ts'
import { type KeptGroups, keepGroups } from './groups.ts'

/** Holds objects by namespace and name. */
export type Store = {
  /** Replaces all objects. */
  fill(objects: readonly JsonObject[]): void
  /** Adds an object, or replaces its former version. */
  put(object: JsonObject): void
  remove(object: JsonObject): void
  /**
   * The objects in order of namespace and name, with indexes that the store keeps while objects change. The same value
   * until then; an earlier value must not be asked any longer.
   */
  objects(): KindObjects
  size(): number
}

/** An object, and what its kind reads of it when a lookup first needs it. */
type Entry = { readonly object: JsonObject; view: ObjectView | undefined }

const IN_NAMESPACE: Grouping = { isOwn: true, keysOf: ({ identity: { namespace } }) => [{ namespace }] }
const NAMED: Grouping = { isOwn: false, keysOf: ({ identity: { name } }) => [{ name }] }

const NONE: readonly never[] = []

/** Creates an empty store. */
export function createStore(kind: Pick<Kind, 'kind' | 'read'>): Store {
  const namespaces = new Map<string, Map<string, Entry>>()
  const groups = new Map<Grouping, KeptGroups>()
  let current: KindObjects | undefined

  const viewOf = (entry: Entry): ObjectView => {
    entry.view ??= kind.read(entry.object)
    return entry.view
  }
  const viewsOf = (own: ReadonlyMap<string, Entry> = new Map()): readonly ObjectView[] =>
    inOrder(own).map(([, entry]) => viewOf(entry))
  const viewsIn = (namespace: string | undefined): readonly ObjectView[] =>
    namespace === undefined
      ? inOrder(namespaces).flatMap(([, own]) => viewsOf(own))
      : viewsOf(namespaces.get(namespace))
  const by = (grouping: Grouping): KeptGroups => {
    const kept = groups.get(grouping) ?? keepGroups(grouping, viewsIn)
    groups.set(grouping, kept)
    return kept
  }
  const replace = (namespace: string, before: Entry | undefined, after: Entry | undefined): void => {
    current = undefined
    for (const kept of groups.values())
      if (kept.hasRead(namespace)) kept.replace({ before: before && viewOf(before), after: after && viewOf(after) })
  }
  const put = (object: JsonObject): void => {
    const { namespace, name } = placeOf(object)
    const own = namespaces.get(namespace) ?? new Map<string, Entry>()
    const [before, after] = [own.get(name), { object, view: undefined }]
    namespaces.set(namespace, own.set(name, after))
    replace(namespace, before, after)
  }
  return {
    put,
    fill(objects) {
      current = undefined
      namespaces.clear()
      groups.clear()
      for (const object of objects) put(object)
    },
    remove(object) {
      const { namespace, name } = placeOf(object)
      const own = namespaces.get(namespace)
      const before = own?.get(name)
      if (!own?.delete(name)) return
      if (own.size === 0) namespaces.delete(namespace)
      replace(namespace, before, undefined)
    },
    objects() {
      current ??= objectsOf({
        kind: kind.kind,
        find: (namespace, name) => {
          const entry = namespaces.get(namespace)?.get(name)
          return entry && viewOf(entry)
        },
        all: lazily(() => viewsIn(undefined)),
        by,
        isEmpty: namespaces.size === 0,
      })
      return current
    },
    size: () => [...namespaces.values()].reduce((sum, { size }) => sum + size, 0),
  }
}

const inOrder = <Value>(map: ReadonlyMap<string, Value>): readonly (readonly [string, Value])[] =>
  [...map].sort(([a], [b]) => compareText(a, b))

type Stored = Pick<KindObjects, 'all' | 'by' | 'isEmpty'> & {
  readonly kind: string
  find(namespace: string, name: string): ObjectView | undefined
}

/** Every object that a cluster stores existed before the change that is reviewed. */
function objectsOf(stored: Stored): KindObjects {
  const { all, by, isEmpty } = stored
  const index = identitiesOf(stored)
  const objects: KindObjects = {
    all,
    in: (namespace) => (namespace === undefined ? NONE : (by(IN_NAMESPACE).at('', namespace, undefined) ?? NONE)),
    isEmpty,
    index: () => index,
    by,
    closed: true,
  }
  return { ...objects, before: objects }
}

/** A cluster stores each identity once, and every object of it has a name and a known namespace. */
function identitiesOf({ kind, find, all, by, isEmpty }: Stored): Identities<ObjectView> {
  const findKind = (asked: string, namespace: string | undefined, name: string) =>
    asked === kind && namespace !== undefined ? find(namespace, name) : undefined
  const namesakes = (asked: string, name: string) =>
    (asked === kind ? by(NAMED).at('', undefined, name) : undefined) ?? NONE
  const isKnownIn = (namespace: string | undefined) =>
    namespace !== undefined && (knownNamespace(namespace) !== undefined || isEmpty)
  return {
    get(asked, namespace, name) {
      if (namespace === undefined) return UNKNOWN
      const view = findKind(asked, namespace, name)
      if (view) return found(view)
      return knownNamespace(namespace) === undefined && namesakes(asked, name).length > 0 ? UNKNOWN : ABSENT
    },
    namespacesOf: (asked, name) => namesakes(asked, name).flatMap(({ identity }) => identity.namespace ?? []),
    namesIn: (asked, namespace) =>
      asked === kind && namespace !== undefined
        ? (by(IN_NAMESPACE).at('', namespace, undefined) ?? NONE).flatMap(({ identity }) => identity.name ?? [])
        : NONE,
    get unique() {
      return all()
    },
    allKnownIn: isKnownIn,
    ownKnownIn: isKnownIn,
    isAmbiguous: () => false,
    has: (asked, namespace, name) => findKind(asked, namespace, name) !== undefined,
  }
}

function placeOf({ metadata }: JsonObject): { readonly namespace: string; readonly name: string } {
  const { namespace, name } = isObject(metadata) ? metadata : {}
  return {
    namespace: typeof namespace === 'string' ? namespace : '',
    name: typeof name === 'string' ? name : '',
  }
}
