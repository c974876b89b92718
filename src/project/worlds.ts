/** Sources to worlds: the objects of each world, and what can be looked up among them. */

import type { BuildNote } from '../kustomize/failure.ts'
import { append } from '../text/append.ts'
import { lazily } from '../world/cache.ts'
import { type MayExist, tabulate } from '../world/identities.ts'
import type { KindTable } from '../world/kinds.ts'
import { kindObjects, noObjects, type ObjectsByKind, type ObjectView, objectsByKind } from '../world/objects.ts'
import type { Lookups, System } from '../world/system.ts'
import { createWorld, type World } from '../world/world.ts'
import { type BuiltSources, buildAll, notesOf, ownWorldsOf } from './builds.ts'
import { definitionsIn } from './definitions.ts'
import {
  addFound,
  addObjects,
  type CollectedObjects,
  canBeLookedUp,
  collectObjects,
  type FoundObject,
  type HowToRead,
  noCollectedObjects,
} from './objects.ts'
import { readingOf, type Source, type Sources, worldsOf } from './source.ts'

/** The objects of sources, world by world. */
export type CollectedWorlds = {
  /** By name, in the order in which the sources came; the empty name is the world of sources that name none. */
  readonly worlds: ReadonlyMap<string, CollectedObjects>
  readonly sources: ReadonlySet<Source>
  /** The worlds of kustomizations that the settings put into none. */
  readonly ownWorlds: ReadonlySet<string>
  /** What kustomizations could not build, and why. */
  readonly notBuilt: readonly BuildNote[]
}

/** Reads sources, and builds the kustomizations among them. */
export function collectWorlds(given: Sources, kinds: KindTable): CollectedWorlds {
  const worlds = new Map<string, CollectedObjects>()
  const { sources, texts } = readingOf(given)
  const read = new Set(sources)
  const builds = buildAll({ sources: [...read], texts })
  const how = { kinds, texts }
  for (const source of [...read, ...builds.flatMap(({ built }) => built)]) collectInto(worlds, source, how)
  recordGaps(worlds, builds)
  return { worlds, sources: read, notBuilt: notesOf(builds), ownWorlds: ownWorldsOf(builds) }
}

/** Records which worlds may have more objects than were built, and why. */
function recordGaps(worlds: Map<string, CollectedObjects>, builds: readonly BuiltSources[]): void {
  for (const { isPartial, notes, refused, worlds: names } of builds)
    for (const world of names.map((name) => worldNamed(worlds, name))) {
      world.partial ||= isPartial
      append(world.notBuilt, notes)
      append(world.refused, refused)
    }
}

/** The world of a name, which is made where there is none. */
function worldNamed(worlds: Map<string, CollectedObjects>, name: string): CollectedObjects {
  const world = worlds.get(name) ?? noCollectedObjects()
  worlds.set(name, world)
  return world
}

/** Reads a source into its worlds; its documents count in the first of them. */
function collectInto(worlds: Map<string, CollectedObjects>, source: Source, how: HowToRead): void {
  const [first, ...others] = worldsOf(source).map((name) => worldNamed(worlds, name))
  if (first === undefined) return
  if (others.length === 0) {
    collectObjects(source, how, first)
    return
  }
  const objects = noCollectedObjects()
  collectObjects(source, how, objects)
  addObjects(objects, first)
  for (const world of others) addObjects({ ...objects, documents: 0 }, world)
}

/** The objects of one world before the change. */
export type EarlierObjects = Pick<CollectedObjects, 'byKind' | 'judged' | 'partial'>

/**
 * The objects of another version of the sources, world by world. A source that belongs to both versions, as the very
 * same object, is not read again.
 */
export function collectPrevious(
  previous: Sources,
  kinds: KindTable,
  now: CollectedWorlds,
): ReadonlyMap<string, EarlierObjects> {
  const known = lazily(() => objectsBySource(now))
  const worlds = new Map<string, CollectedObjects>()
  const reading = readingOf(previous)
  const { sources, texts } = reading
  const builds = buildAll(reading)
  const how = { kinds, texts }
  for (const source of [...sources, ...builds.flatMap(({ built }) => built)]) {
    if (!now.sources.has(source)) {
      collectInto(worlds, source, how)
      continue
    }
    for (const name of worldsOf(source)) {
      const into = worldNamed(worlds, name)
      for (const object of known().get(source) ?? []) addFound(object, into)
    }
  }
  recordGaps(worlds, builds)
  return worlds
}

/** Each object once, also where its source belongs to several worlds. */
function objectsBySource({ worlds }: CollectedWorlds): ReadonlyMap<Source, ReadonlySet<FoundObject>> {
  const bySource = new Map<Source, Set<FoundObject>>()
  for (const { byKind } of worlds.values())
    for (const objects of byKind.values())
      for (const object of objects) {
        const others = bySource.get(object.origin.source)
        if (others) others.add(object)
        else bySource.set(object.origin.source, new Set([object]))
      }
  return bySource
}

/** What is known about the objects of a world beside the objects themselves. */
export type WorldOptions = {
  /** The name of the world in the settings; empty where its sources name none, so that they may be of several clusters. */
  readonly name?: string
  /** True where these objects are all there is: what is not among them is absent. */
  readonly closed: boolean
  /** Kinds of which nothing is known, even in a closed world. */
  readonly unknownKinds?: ReadonlySet<string> | undefined
  /** The objects before the change, where there was one: those among them are older than the others. */
  readonly before?: Pick<EarlierObjects, 'byKind'> | undefined
  /** True for an object that is in another world, and may be in this one, too. */
  readonly mayExist?: MayExist | undefined
  /** True where a kind without objects is unknown, even in a closed world. */
  readonly needsOne?: boolean
}

/** The world of some objects. */
export const worldOf = <Own extends object = Lookups>(
  systems: readonly System<Own>[],
  objects: Pick<CollectedObjects, 'byKind' | 'partial'>,
  options: WorldOptions,
): World<Own> => createWorld(systems, objectsOf(objects, options))

/**
 * Objects as lookups get them; each list is made once. They are not closed where some of them get another name on their
 * way or cannot be read.
 */
export function objectsOf(
  { byKind, partial }: Pick<CollectedObjects, 'byKind' | 'partial'>,
  { name = '', closed: isEverything, unknownKinds, before, mayExist, needsOne = false }: WorldOptions,
): ObjectsByKind {
  const closed = isEverything && !partial
  /** True where all objects certainly come to one cluster. */
  const isOne = isEverything || name !== ''
  const others = mayExist ? { mayExist } : {}
  const none = kindObjects([], { closed: closed && !needsOne, ...others })
  const viewsOf = (objects: readonly FoundObject[]) => objects.filter(canBeLookedUp).map(({ view }) => view)
  const made = new Map(
    [...byKind].map(([kind, objects]) => {
      const earlier = kindObjects(viewsOf(before?.byKind.get(kind) ?? []), { closed })
      return [kind, kindObjects(viewsOf(objects), { closed, before: earlier, ...formerNames(objects), ...others })]
    }),
  )
  const named = (kind: string) => (unknownKinds?.has(kind) ? NOT_KNOWN : (made.get(kind) ?? none))
  return objectsByKind(named, definitionsIn(byKind, named, isOne))
}

const NOT_KNOWN = noObjects(false)

/** The names that objects had before kustomizations were built. */
function formerNames(objects: readonly FoundObject[]): { formerNameOf?(view: ObjectView): string | undefined } {
  const names = new Map<ObjectView, string>()
  for (const { view, origin } of objects)
    if ('object' in origin.source && origin.source.built) names.set(view, origin.source.built.originalName)
  return names.size === 0 ? {} : { formerNameOf: (view) => names.get(view) }
}

type WorldsByName = Pick<CollectedWorlds, 'ownWorlds'> & {
  readonly worlds: ReadonlyMap<string, Pick<CollectedObjects, 'byKind'>>
}

/**
 * Where each kustomization has a world of its own: what is in another world may be meant to be in the same cluster.
 * Undefined for the worlds of the settings, which are apart.
 */
export function elsewhere({ worlds, ownWorlds }: WorldsByName): (world: string) => MayExist | undefined {
  const table = lazily(() =>
    tabulate<string>((add) => {
      for (const [world, { byKind }] of worlds)
        for (const { view } of [...byKind.values()].flat())
          add(view.identity.kind, view.identity.namespace, view.identity.name, world)
    }),
  )
  return (world) => {
    if (ownWorlds.size === 0 || (world !== '' && !ownWorlds.has(world))) return undefined
    return (kind, namespace, name) =>
      table()
        .at(kind, namespace, name)
        ?.some((other) => other !== world) ?? false
  }
}

/** A world in which objects cannot be looked up by name; variables that SnippetsFilters define are known all the same. */
export function isolatedWorld<Own extends object = Lookups>(
  systems: readonly System<Own>[],
  kinds: KindTable,
  { byKind }: Pick<CollectedObjects, 'byKind'>,
): World<Own> {
  const keeping = new Set(kinds.kinds.filter(({ keepsName }) => keepsName).map(({ kind }) => kind))
  const kept = new Map([...byKind].filter(([kind]) => keeping.has(kind)))
  return worldOf(systems, { byKind: kept, partial: false }, { closed: false })
}
