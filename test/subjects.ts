/** What the sources of a test are to the rules: subjects, and worlds. */

import { RULES } from '../rules/index.ts'
import { kindsAsked } from '../src/engine/run.ts'
import type { OwnLookups } from '../src/gateway/lookups/lookups.ts'
import { GATEWAY_SYSTEM } from '../src/gateway/system.ts'
import type { Json } from '../src/json/member.ts'
import { apiNames } from '../src/kubernetes/api-groups.ts'
import type { LintOptions } from '../src/lint/lint.ts'
import type { Sources } from '../src/project/source.ts'
import { judgedWorlds, type LocatedSubject, subjectsOf } from '../src/project/subjects.ts'
import { collectPrevious, collectWorlds, worldOf } from '../src/project/worlds.ts'
import { SYSTEMS } from '../src/registry.ts'
import { DEFAULT_SETTINGS } from '../src/settings/settings.ts'
import { kindTable } from '../src/world/kinds.ts'
import type { Lookup } from '../src/world/lookup.ts'
import { emptyWorld, type World } from '../src/world/world.ts'

/** The worlds of sources, as the lint judges them. */
export function worldsIn(sources: Sources, options: Omit<LintOptions, 'rules'> = {}) {
  const { settings = DEFAULT_SETTINGS, closedWorld = false, previous = [], systems = SYSTEMS } = options
  const asked = new Set(kindsAsked(RULES, settings))
  const kinds = kindTable(systems, apiNames(settings.apiGroups), { mesh: settings.mesh, asked })
  const now = collectWorlds(sources, kinds)
  return [...judgedWorlds(now, collectPrevious(previous, kinds, now), { systems, closedWorld })]
}

/** Every subject of sources. */
export const subjectsIn = (sources: Sources, options?: Omit<LintOptions, 'rules'>): LocatedSubject[] =>
  worldsIn(sources, options).flatMap((world) => [...subjectsOf(world)])

/** A world of these objects and no others. */
export function worldOfObjects(...objects: readonly object[]): World<OwnLookups> {
  const source = {
    file: 'objects.json',
    object: { apiVersion: 'v1', kind: 'List', items: structuredClone([...objects]) as Json[] },
  }
  const [collected] = collectWorlds([source], kindTable([GATEWAY_SYSTEM], apiNames())).worlds.values()
  if (!collected) throw new Error('there are no objects')
  return worldOf([GATEWAY_SYSTEM], collected, { closed: true })
}

/** A world in which nothing is known. */
export const unknownWorld = (): World => emptyWorld(SYSTEMS)

/** The world in which namespaces were created at another time. */
export const withCreationOfNamespaces = <Own extends object>(
  world: World<Own>,
  created: Lookup<number>,
): World<Own> => ({
  lookups: { ...world.lookups, namespaces: { ...world.lookups.namespaces, createdAt: () => created } },
  with: (change) => withCreationOfNamespaces(world.with(change), created),
  forTenant: () => withCreationOfNamespaces(world.forTenant(), created),
  forRelease: (release) => withCreationOfNamespaces(world.forRelease(release), created),
})
