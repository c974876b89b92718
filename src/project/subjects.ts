/** What there is to judge in the sources of a world. */
import type { Subject } from '../engine/finding.ts'
import { namespaceName } from '../kubernetes/metadata.ts'
import { groupBy } from '../text/group.ts'
import { lazily } from '../world/cache.ts'
import type { ObjectsByKind } from '../world/objects.ts'
import type { Kind, System } from '../world/system.ts'
import { createWorld, type World } from '../world/world.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject, type Origin } from './objects.ts'
import { fileOf } from './source.ts'
import { type CollectedWorlds, type EarlierObjects, elsewhere, objectsOf, worldOf } from './worlds.ts'

/** A subject that remembers where it was found. */
export type LocatedSubject = Subject & {
  readonly origin: Origin
  /** False for an object of a version that its system does not know. */
  readonly known: boolean
  /** The order of members, for fixes that add one; undefined for texts. */
  readonly fieldsAt: Kind['fieldsAt']
}

/** The members of a subject that is a text. */
export const NO_OBJECT = {
  object: undefined,
  identity: { kind: '', namespace: undefined, name: undefined },
  known: true,
  fieldsAt: undefined,
} as const

/** The objects of one world, and the world in which each of them is judged. */
export type JudgedWorld = {
  readonly objects: CollectedObjects
  /** The same objects as {@link world} looks them up. */
  readonly byKind: ObjectsByKind
  readonly world: World
  /** The objects of the same world before the change. */
  readonly before: EarlierWorld | undefined
  /** The former version of an object that was in another world. */
  movedFrom(found: FoundObject): Former | undefined
}

/** The objects of a world before the change. */
type EarlierWorld = {
  readonly objects: EarlierObjects
  /** Their lookups, made when first needed. */
  readonly world: () => World
}

/** The former version of an object, and the lookups of the world in which it was. */
type Former = { readonly found: FoundObject; readonly world: () => World }

/** What is read of the sources of a world, and whether they are complete. */
export type JudgedWorldsOptions = {
  readonly systems: readonly System[]
  /** True where the sources are all there is. */
  readonly closedWorld: boolean
  /** Where they are all there is but for the objects of these kinds. */
  readonly unknownKinds?: ReadonlySet<string> | undefined
}

/** Prepares every world of the sources; `earlier` are the judged objects before the change, by world. */
export function* judgedWorlds(
  collected: CollectedWorlds,
  previous: ReadonlyMap<string, EarlierObjects>,
  { systems, closedWorld, unknownKinds }: JudgedWorldsOptions,
): Iterable<JudgedWorld> {
  const { worlds } = collected
  const closed = closedWorld || unknownKinds !== undefined
  const mayHaveExisted = elsewhere({ worlds: previous, ownWorlds: collected.ownWorlds })
  const earlier = new Map(
    [...previous].map(([name, objects]): [string, EarlierWorld] => {
      // A source that did not change is not read again: it says only now whether it may have more objects.
      const partial = objects.partial || worlds.get(name)?.partial === true
      // A previous version may be given without what the policies apply to.
      const options = { name, closed, unknownKinds, mayExist: mayHaveExisted(name), needsOne: true }
      return [name, { objects, world: lazily(() => worldOf(systems, { ...objects, partial }, options)) }]
    }),
  )
  const movedFrom = matchMoved(worlds, earlier)
  const mayExist = elsewhere(collected)
  for (const [name, objects] of worlds) {
    const before = earlier.get(name)
    const byKind = objectsOf(objects, { name, closed, unknownKinds, before: before?.objects, mayExist: mayExist(name) })
    const world = createWorld(systems, byKind)
    yield { objects, byKind, world, before, movedFrom }
  }
}

/** Every subject of one world. */
export function* subjectsOf({ objects, world, before, movedFrom }: JudgedWorld): Iterable<LocatedSubject> {
  const { judged, broken, refused } = objects
  const previousOf = before && matchVersions(judged.filter(canBeLookedUp), before.objects.judged.filter(canBeLookedUp))
  const formerOf = (found: FoundObject): Former | undefined => {
    const own = previousOf?.(found)
    return own && before ? { found: own, world: before.world } : movedFrom(found)
  }
  for (const origin of broken)
    if (!origin.source.unjudged) yield { ...NO_OBJECT, kind: 'Document', view: origin.document, origin, world }
  // A document that is reported as it is broken is not reported again.
  for (const { source, document, view } of refused)
    if (!broken.some((one) => one.document.start === document.start && fileOf(one.source) === fileOf(source))) {
      const object = 'object' in source ? source.object : undefined
      yield { ...NO_OBJECT, object, kind: 'Kustomization', view, origin: { source, document, base: '' }, world }
    }
  for (const found of judged) {
    const {
      view,
      origin,
      known,
      kind: { fieldsAt },
      judgedAs: kind = '',
    } = found
    if (origin.source.unjudged) continue
    const { object, identity } = view
    const former = formerOf(found)
    const worldBefore = former?.world
    yield {
      kind,
      view,
      object,
      identity,
      origin,
      known,
      fieldsAt,
      world,
      previous: former?.found.view,
      worldBefore,
    }
  }
}

/**
 * Finds the previous version of an object by kind, namespace and name, whatever file it was in. Where an identity
 * appears several times, as in a repository of several clusters, only the one of the same file is certainly the same.
 */
function matchVersions(
  now: readonly FoundObject[],
  before: readonly FoundObject[],
): (found: FoundObject) => FoundObject | undefined {
  const [today, former] = [groupByIdentity(now), groupByIdentity(before)]
  return (found) => {
    const key = keyOf(found)
    const [namesakes, candidates] = [today.get(key) ?? [], former.get(key) ?? []]
    if (!namesakes.includes(found)) return undefined
    const isInSameFile = ({ origin }: FoundObject) => fileOf(origin.source) === fileOf(found.origin.source)
    return onlyOne(namesakes, candidates) ?? onlyOne(namesakes.filter(isInSameFile), candidates.filter(isInSameFile))
  }
}

/**
 * Finds the former version of an object that came into its world from another one, such as out of a folder that was
 * renamed: the one object of its identity that is gone there.
 */
function matchMoved(
  worlds: CollectedWorlds['worlds'],
  earlier: ReadonlyMap<string, EarlierWorld>,
): (found: FoundObject) => Former | undefined {
  if (earlier.size === 0) return () => undefined
  const [today, former] = [
    new Map([...worlds].map(([name, { judged }]) => [name, groupByIdentity(judged.filter(canBeLookedUp))])),
    new Map([...earlier].map(([name, { objects }]) => [name, groupByIdentity(objects.judged.filter(canBeLookedUp))])),
  ]
  const only = (these: ReadonlyMap<string, Groups>, others: ReadonlyMap<string, Groups>) =>
    [...these].flatMap(([name, groups]) =>
      [...groups.values()].flat().filter((one) => !others.get(name)?.has(keyOf(one))),
    )
  const [come, gone] = [groupByIdentity(only(today, former)), groupByIdentity(only(former, today))]
  const worldsOfGone = lazily(
    () => new Map([...earlier.values()].flatMap(({ objects, world }) => objects.judged.map((one) => [one, world]))),
  )
  return (found) => {
    const key = keyOf(found)
    const [namesakes, candidates] = [come.get(key) ?? [], gone.get(key) ?? []]
    const one = namesakes.includes(found) ? onlyOne(namesakes, candidates) : undefined
    const world = one && worldsOfGone().get(one)
    return one && world && { found: one, world }
  }
}

type Groups = ReadonlyMap<string, readonly FoundObject[]>

/** The one candidate, where neither it nor the object of today can be mistaken for another. */
const onlyOne = (namesakes: readonly FoundObject[], candidates: readonly FoundObject[]): FoundObject | undefined =>
  namesakes.length === 1 && candidates.length === 1 ? candidates[0] : undefined

const keyOf = ({ view: { identity } }: FoundObject): string =>
  `${identity.kind}/${namespaceName(identity.namespace)}/${identity.name}`

/** Objects without a name have no other version. */
const groupByIdentity = (objects: readonly FoundObject[]): ReadonlyMap<string, readonly FoundObject[]> =>
  groupBy(
    objects.filter(({ view }) => view.identity.name !== undefined),
    keyOf,
  )
