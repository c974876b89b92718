/** Texts to worlds: what the texts of each world hold, and what can be looked up in it. */
import type { PolicyView } from '../gateway/objects/policy.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { buildWorld, type WorldOptions } from '../world/build.ts'
import type { World } from '../world/world.ts'
import { emptyHarvest, type FoundPolicy, type Harvest, harvest } from './objects.ts'
import type { Source } from './source.ts'

/** What texts hold, world by world. */
export type Worlds = {
  /** By name, in the order in which the texts came; the empty name is the world of texts that name none. */
  readonly worlds: ReadonlyMap<string, Harvest>
  /** The texts. */
  readonly sources: ReadonlySet<Source>
}

/** Reads texts. */
export function harvestWorlds(sources: Iterable<Source>, names: ApiNames): Worlds {
  const worlds = new Map<string, Harvest>()
  const read = new Set<Source>()
  for (const source of sources) {
    read.add(source)
    harvest(source, names, worldNamed(source.world ?? '', worlds))
  }
  return { worlds, sources: read }
}

function worldNamed(name: string, worlds: Map<string, Harvest>): Harvest {
  const world = worlds.get(name) ?? emptyHarvest()
  worlds.set(name, world)
  return world
}

/**
 * The policies of another version of the texts, world by world. A text that stands in both versions, as the very same
 * object, is not read again.
 */
export function harvestPolicies(
  sources: Iterable<Source>,
  names: ApiNames,
  now: Worlds,
): ReadonlyMap<string, readonly FoundPolicy[]> {
  const known = policiesBySource(now)
  const worlds = new Map<string, FoundPolicy[]>()
  for (const source of sources) {
    const name = source.world ?? ''
    const policies = worlds.get(name) ?? []
    worlds.set(name, policies)
    const added = now.sources.has(source) ? (known.get(source) ?? []) : policiesIn(source, names)
    for (const policy of added) policies.push(policy)
  }
  return worlds
}

function policiesIn(source: Source, names: ApiNames): readonly FoundPolicy[] {
  const alone = emptyHarvest()
  harvest(source, names, alone)
  return alone.policies
}

function policiesBySource({ worlds }: Worlds): ReadonlyMap<Source, readonly FoundPolicy[]> {
  const bySource = new Map<Source, FoundPolicy[]>()
  for (const { policies } of worlds.values())
    for (const policy of policies) {
      const others = bySource.get(policy.origin.source)
      if (others) others.push(policy)
      else bySource.set(policy.origin.source, [policy])
    }
  return bySource
}

/** Policies that others may look up: of a version that we know, under the name that they will have. */
export const isKnown = ({ origin, known }: FoundPolicy): boolean => known && !origin.source.renamed

/** The world that a harvest makes. It is not closed where some of its objects get another name on their way. */
export function worldOf(harvest: Harvest, { closed, before }: WorldOptions): World {
  const policies: readonly PolicyView[] = harvest.policies.filter(isKnown).map(({ view }) => view)
  return buildWorld({ ...harvest, policies }, { closed: closed && !harvest.partial, before })
}

/** A world in which nothing can be looked up but variables: every object in it stands alone. */
export const lonelyWorld = ({ snippets }: Pick<Harvest, 'snippets'>): World =>
  buildWorld({ ...emptyHarvest(), policies: [], snippets }, { closed: false })
