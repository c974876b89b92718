/** The objects of a world, by kind, as the lookups get them. */
import type { JsonObject } from '../json/member.ts'
import { type Identity, knownNamespace } from '../kubernetes/metadata.ts'
import { groupBy } from '../text/group.ts'
import { cachedBy, lazily } from './cache.ts'
import { type Identities, type IdentityTable, indexIdentities, type MayExist, tabulate } from './identities.ts'

/** What has an identity. */
export type Identified = { readonly identity: Identity }

/** An object as read: every system adds what its rules need. */
export type ObjectView = Identified & { readonly object: JsonObject }

/** The objects of one kind. A list stays the very same list for as long as nothing in it changes. */
export type KindObjects<View extends ObjectView = ObjectView> = {
  all(): readonly View[]
  /** Those of one namespace; `undefined` stands for all whose namespace is not known. */
  in(namespace: string | undefined): readonly View[]
  readonly isEmpty: boolean
  /** Finds them by identity; made when first needed. */
  index(): Identities<View>
  /** Those with a unique identity by what they refer to; made when first needed. */
  by(grouping: Grouping<View>): Groups<View>
  /** True where there are no others: what is not among them does not exist. */
  readonly closed: boolean
  /** The objects before a change, where there is one. */
  readonly before?: KindObjects<View> | undefined
  /** The name that an object had before a kustomization was built; undefined for one that none builds. */
  formerNameOf?(view: View): string | undefined
}

/**
 * How objects are found by what they refer to, such as policies by their targets. A constant: a cluster's watch keeps the
 * lists of each grouping, and changes only those of a changed object.
 */
export type Grouping<View extends ObjectView = ObjectView> = {
  /** What an object refers to, each once; it depends on nothing but the object. */
  keysOf(view: View): readonly Partial<Identity>[]
  /** True where that always is in the namespace of the object: only the objects of that one are read. */
  readonly isOwn: boolean
}

/** Lists of objects by what they refer to, in the order of all. A list stays the very same list until one of its objects changes. */
export type Groups<View extends ObjectView> = Pick<IdentityTable<View>, 'at'>

/** A kind, and what its objects are read into: names the type of the objects that are looked up. */
export type KindRef<View extends ObjectView> = { readonly kind: string; read(object: JsonObject): View }

/** The objects of a world, by kind. */
export type ObjectsByKind = {
  of<View extends ObjectView>(kind: KindRef<View>): KindObjects<View>
  named(kind: string): KindObjects
  /** What manifests define more than once; undefined where that cannot be: a cluster stores each identity once. */
  readonly definitions?: Definitions | undefined
}

/** Where an object is defined. */
type Definition = {
  /** As reports name it. */
  readonly file: string
  /** True where it is in the same file. */
  readonly isSameFile: boolean
  /** True where one kustomization builds both. */
  readonly isSameBuild: boolean
}

/** What the manifests of a world define more than once. */
export type Definitions = {
  /** True for an identity that appears twice: it is not known which of the objects exists. */
  isAmbiguous(kind: string, namespace: string | undefined, name: string): boolean
  /** The first definition of an object before this one; undefined where they may belong to different worlds. */
  earlier(view: ObjectView): Definition | undefined
  /** True for an identity of which one object has an {@link earlier} definition. */
  isRepeated(kind: string, namespace: string | undefined, name: string): boolean
  /**
   * Tells whether some objects may be those of different clusters, as the folders (or files) in which they are define
   * other objects twice; undefined where nothing says so.
   */
  mayBeApart(): ((views: readonly ObjectView[]) => boolean) | undefined
}

const NONE: readonly never[] = []

/** Finds the objects of a kind by its name. */
export function objectsByKind(find: (kind: string) => KindObjects, definitions?: Definitions): ObjectsByKind {
  return {
    named: find,
    definitions,
    // Objects of a kind are read by the reader that the kind registers, so its views are of that type.
    of: <View extends ObjectView>({ kind }: KindRef<View>) => find(kind) as KindObjects<View>,
  }
}

/** What is known of objects beside the objects themselves. */
type KindObjectsOptions<View extends ObjectView> = Pick<KindObjects<View>, 'closed' | 'before' | 'formerNameOf'> & {
  /** True for an object that is not among them and may exist all the same, although they are closed. */
  readonly mayExist?: MayExist
}

/** The name that an object has after a kustomization was built, by the name that it had before. */
export const nameAfterBuild = (
  { in: inNamespace, formerNameOf }: KindObjects,
  namespace: string | undefined,
  name: string,
): string | undefined =>
  formerNameOf &&
  inNamespace(namespace).find((view) => view.identity.name !== name && formerNameOf(view) === name)?.identity.name

/** The objects of a kind from a list. */
export function kindObjects<View extends ObjectView>(
  items: readonly View[],
  { closed, before, formerNameOf, mayExist }: KindObjectsOptions<View>,
): KindObjects<View> {
  const groups = lazily(() => groupBy(items, ({ identity }) => identity.namespace))
  const unplaced = lazily(() => items.filter(({ identity }) => knownNamespace(identity.namespace) === undefined))
  return {
    all: () => items,
    in: (namespace) => (namespace === undefined ? unplaced() : (groups().get(namespace) ?? NONE)),
    ...indexesOf(() => items, closed, mayExist),
    closed,
    before,
    ...(formerNameOf ? { formerNameOf } : {}),
  }
}

/** What finds the objects of a list. */
function indexesOf<View extends ObjectView>(
  all: () => readonly View[],
  closed: boolean,
  mayExist?: MayExist,
): Pick<KindObjects<View>, 'isEmpty' | 'index' | 'by'> {
  const index = lazily(() => indexIdentities(all(), closed, mayExist))
  return {
    get isEmpty() {
      return all().length === 0
    },
    index,
    by: cachedBy(({ keysOf }: Grouping<View>) =>
      tabulate<View>((add) => {
        for (const view of index().unique)
          for (const { kind = '', namespace, name } of keysOf(view)) add(kind, namespace, name, view)
      }),
    ),
  }
}

/** No objects; where not closed, any may exist. */
export const noObjects = (closed: boolean): KindObjects => kindObjects(NONE, { closed })

/** What happens to one object; `before` is undefined for a new one, `after` for a deleted one. */
export type Change<View extends ObjectView = ObjectView> = {
  readonly kind: string
  readonly before: View | undefined
  readonly after: View | undefined
}

/** A change of an object of one kind, with its views as that kind reads them; undefined for other kinds. */
export function changeOf<View extends ObjectView>(change: Change, { kind }: KindRef<View>): Change<View> | undefined {
  return change.kind === kind ? (change as Change<View>) : undefined
}

/** An object as its kind reads it; undefined for an object of another kind. */
export const viewOf = <View extends ObjectView>(view: ObjectView, { kind }: KindRef<View>): View | undefined =>
  view.identity.kind === kind ? (view as View) : undefined

/** True where two views are of one object. */
const sameObject = ({ identity: a }: Identified, { identity: b }: Identified): boolean =>
  a.name !== undefined && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name

/** The list with one object as it will be; the very same list where the object is not in it and does not come into it. */
export function replaced<View extends Identified>(
  items: readonly View[],
  changed: View,
  belongs: boolean,
): readonly View[] {
  const index = items.findIndex((item) => sameObject(item, changed))
  if (index < 0) return belongs ? [...items, changed] : items
  return items.toSpliced(index, 1, ...(belongs ? [changed] : []))
}

/** The objects of a kind after a change of one of them. */
export function changedObjects(objects: KindObjects, { before, after }: Change): KindObjects {
  const changed = after ?? before
  if (!changed) return objects
  const all = lazily(() => replaced(objects.all(), changed, after !== undefined))
  return {
    ...objects,
    all,
    ...indexesOf(all, objects.closed),
    in: (namespace) =>
      namespace === changed.identity.namespace
        ? replaced(objects.in(namespace), changed, after !== undefined)
        : objects.in(namespace),
  }
}
