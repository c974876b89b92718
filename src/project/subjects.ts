/** What there is to judge in the sources of a world. */
import type { Subject } from '../engine/finding.ts'
import { namespaceName } from '../kubernetes/metadata.ts'
import { groupBy } from '../text/group.ts'
import type { Kind, System } from '../world/system.ts'
import type { World } from '../world/world.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject, type Origin } from './objects.ts'
import { fileOf } from './source.ts'
import { type CollectedWorlds, elsewhere, worldOf } from './worlds.ts'

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
  readonly world: World
  /** The judged objects of the same world before the change. */
  readonly before: readonly FoundObject[] | undefined
  /** The former version of an object that was in another world. */
  movedFrom(found: FoundObject): FoundObject | undefined
}

/** What is read of the sources of a world, and whether they are complete. */
export type JudgedWorldsOptions = {
  readonly systems: readonly System[]
  /** True where the sources are all there is. */
  readonly closedWorld: boolean
}

/** Prepares every world of the sources; `earlier` are the judged objects before the change, by world. */
export function* judgedWorlds(
  collected: CollectedWorlds,
  earlier: ReadonlyMap<string, readonly FoundObject[]>,
  { systems, closedWorld: closed }: JudgedWorldsOptions,
): Iterable<JudgedWorld> {
  const { worlds } = collected
  const movedFrom = matchMoved(worlds, earlier)
  const mayExist = elsewhere(collected)
  for (const [name, objects] of worlds) {
    const before = earlier.get(name)
    const world = worldOf(systems, objects, { name, closed, before, mayExist: mayExist(name) })
    yield { objects, world, before, movedFrom }
  }
}

/** Every subject of one world. */
export function* subjectsOf({ objects, world, before, movedFrom }: JudgedWorld): Iterable<LocatedSubject> {
  const { judged, broken } = objects
  const previousOf = before && matchVersions(judged.filter(canBeLookedUp), before.filter(canBeLookedUp))
  for (const origin of broken)
    if (!origin.source.unjudged) yield { ...NO_OBJECT, kind: 'Document', view: origin.document, origin, world }
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
    const previous = (previousOf?.(found) ?? movedFrom(found))?.view
    yield { kind, view, object, identity, origin, known, fieldsAt, world, previous }
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
  earlier: ReadonlyMap<string, readonly FoundObject[]>,
): (found: FoundObject) => FoundObject | undefined {
  if (earlier.size === 0) return () => undefined
  const [today, former] = [
    new Map([...worlds].map(([name, { judged }]) => [name, groupByIdentity(judged.filter(canBeLookedUp))])),
    new Map([...earlier].map(([name, objects]) => [name, groupByIdentity(objects.filter(canBeLookedUp))])),
  ]
  const only = (these: ReadonlyMap<string, Groups>, others: ReadonlyMap<string, Groups>) =>
    [...these].flatMap(([name, groups]) =>
      [...groups.values()].flat().filter((one) => !others.get(name)?.has(keyOf(one))),
    )
  const [come, gone] = [groupByIdentity(only(today, former)), groupByIdentity(only(former, today))]
  return (found) => {
    const key = keyOf(found)
    const [namesakes, candidates] = [come.get(key) ?? [], gone.get(key) ?? []]
    return namesakes.includes(found) ? onlyOne(namesakes, candidates) : undefined
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
