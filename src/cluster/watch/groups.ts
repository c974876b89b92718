/** Lists of the objects of a kind by what they refer to, kept while single objects change. */
import { compareText } from '../../text/order.ts'
import type { Namespace } from '../../world/identities.ts'
import type { Grouping, Groups, ObjectView } from '../../world/objects.ts'

/** One version of an object replaces another; undefined for one that there is not. */
type Replacement = { readonly before: ObjectView | undefined; readonly after: ObjectView | undefined }

/** The lists of one grouping. */
export type KeptGroups = Groups<ObjectView> & {
  /** True where the lists have the objects of a namespace. */
  hasRead(namespace: string): boolean
  /** Changes the lists of an object, which {@link hasRead} must be true of. */
  replace(replacement: Replacement): void
}

type Lists = Map<string, Map<Namespace, Map<string | undefined, readonly ObjectView[]>>>

/**
 * Keeps the lists of a grouping. Objects are read when a list is first asked for. `viewsIn` returns those of one
 * namespace, or all for `undefined`, in order of namespace and name.
 */
export function keepGroups(
  { keysOf, isOwn }: Grouping,
  viewsIn: (namespace: string | undefined) => readonly ObjectView[],
): KeptGroups {
  const lists: Lists = new Map()
  const read = new Set<Namespace>()
  /** The part of the objects that is read as a whole: those of a namespace, or all. */
  const partOf = (namespace: Namespace) => (isOwn ? namespace : undefined)
  /** Nobody has a list of a part that is being read: these lists are filled in place. */
  const readPart = (part: string | undefined): void => {
    read.add(part)
    for (const view of viewsIn(part))
      for (const { kind = '', namespace, name } of keysOf(view)) {
        const names = namesOf(lists, kind, namespace)
        const list = names.get(name) as ObjectView[] | undefined
        if (list) list.push(view)
        else names.set(name, [view])
      }
  }
  return {
    at(kind, namespace, name) {
      if (isOwn && namespace === undefined) return undefined
      const part = partOf(namespace)
      if (!read.has(part)) readPart(part)
      return lists.get(kind)?.get(namespace)?.get(name)
    },
    hasRead: (namespace) => read.has(partOf(namespace)),
    replace({ before, after }) {
      if (before) for (const key of keysOf(before)) removeFrom(lists, key, before)
      if (after) for (const key of keysOf(after)) addTo(lists, key, after)
    },
  }
}

type Key = ReturnType<Grouping['keysOf']>[number]

function addTo(lists: Lists, { kind = '', namespace, name }: Key, view: ObjectView): void {
  const names = namesOf(lists, kind, namespace)
  const list = names.get(name) ?? []
  names.set(name, list.toSpliced(positionIn(list, view), 0, view))
}

/** A namespace in which nothing is referred to any longer takes no memory. */
function removeFrom(lists: Lists, { kind = '', namespace, name }: Key, view: ObjectView): void {
  const names = namesOf(lists, kind, namespace)
  const rest = names.get(name)?.filter((other) => other !== view) ?? []
  if (rest.length > 0) names.set(name, rest)
  else names.delete(name)
  if (names.size === 0) lists.get(kind)?.delete(namespace)
}

function namesOf(lists: Lists, kind: string, namespace: Namespace) {
  const namespaces = lists.get(kind) ?? new Map<Namespace, Map<string | undefined, readonly ObjectView[]>>()
  if (namespaces.size === 0) lists.set(kind, namespaces)
  const names = namespaces.get(namespace) ?? new Map<string | undefined, readonly ObjectView[]>()
  if (names.size === 0) namespaces.set(namespace, names)
  return names
}

/** Where an object comes in a list that is in order of namespace and name. */
function positionIn(list: readonly ObjectView[], view: ObjectView): number {
  let [first, last] = [0, list.length]
  while (first < last) {
    const middle = (first + last) >>> 1
    const other = list[middle]
    if (other && compare(other, view) < 0) first = middle + 1
    else last = middle
  }
  return first
}

const compare = ({ identity: a }: ObjectView, { identity: b }: ObjectView): number =>
  compareText(a.namespace ?? '', b.namespace ?? '') || compareText(a.name ?? '', b.name ?? '')
