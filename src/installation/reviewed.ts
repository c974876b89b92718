/** What rules judge and look up, in the terms of RBAC and of webhook configurations. */
import { RULES } from '../../rules/index.ts'
import { type AnyRule, judgedBy } from '../engine/rule.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import { SYSTEMS } from '../registry.ts'
import { groupBy } from '../text/group.ts'
import { kindTable } from '../world/kinds.ts'
import type { Kind, Resource, System } from '../world/system.ts'

/** Resources of one API group. */
export type Resources = {
  /** Empty for the core group. */
  readonly group: string
  readonly versions: readonly string[]
  readonly resources: readonly string[]
}

/** What a webhook reviews. */
export type Reviewed = Resources & { readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[] }

type Served = Kind & { readonly resource: Resource }

const served = (systems: readonly System[], names: ApiNames): readonly Served[] =>
  kindTable(systems, names).kinds.flatMap((kind) => (kind.resource ? [{ ...kind, resource: kind.resource }] : []))

/** Resources by group, each group in order of its name, each resource in order of its own. */
function byGroup(
  kinds: readonly Served[],
  versionsOf: (kinds: readonly Served[]) => readonly string[],
): readonly Resources[] {
  return [...groupBy(kinds, ({ group }) => group)]
    .map(([group, own]) => ({
      group,
      versions: versionsOf(own),
      resources: own.map(({ resource }) => resource.plural).sort(),
    }))
    .sort((a, b) => (a.group < b.group ? -1 : 1))
}

const ANY_VERSION = ['*'] as const

/** The objects that rules judge: every version where a rule reports unknown ones. Throws where no rule judges any. */
export function reviewedObjects(
  rules: readonly AnyRule[] = RULES,
  systems: readonly System[] = SYSTEMS,
  names: ApiNames = apiNames(),
): readonly Reviewed[] {
  const judged = new Set(rules.flatMap(judgedBy))
  const reviewed = served(systems, names).filter(({ subjects = [] }) => subjects.some((subject) => judged.has(subject)))
  if (reviewed.length === 0) throw new Error('no rule judges an object, so no webhook is needed')
  const versionsOf = (kinds: readonly Served[]): readonly string[] =>
    kinds.some(({ subjects = [] }) => subjects.slice(1).some((subject) => judged.has(subject)))
      ? ANY_VERSION
      : [...new Set(kinds.map(({ resource }) => resource.version))]
  return byGroup(reviewed, versionsOf).map((resources) => ({ ...resources, operations: ['CREATE', 'UPDATE'] }))
}

/** The objects whose changes affect what rules report about others. */
export const observedObjects = (
  systems: readonly System[] = SYSTEMS,
  names: ApiNames = apiNames(),
): readonly Reviewed[] =>
  byGroup(
    served(systems, names).filter(({ observed }) => observed),
    () => ANY_VERSION,
  ).map((resources) => ({ ...resources, operations: ['CREATE', 'UPDATE', 'DELETE'] }))

/** The kinds that the admission server watches for lookups. */
export const watchedResources = (
  systems: readonly System[] = SYSTEMS,
  names: ApiNames = apiNames(),
): readonly Resources[] =>
  byGroup(served(systems, names), (own) => (own.some(({ group }) => group === '') ? ['v1'] : ANY_VERSION))

/** The statuses that the controller writes: those of policies, and of their targets. */
const STATUSES: ReadonlySet<string> = new Set(['RateLimitPolicy', 'Gateway', 'HTTPRoute', 'GRPCRoute'])

/** The subresources that the controller writes. */
export const writtenStatuses = (
  systems: readonly System[] = SYSTEMS,
  names: ApiNames = apiNames(),
): readonly Resources[] =>
  byGroup(
    served(systems, names).filter(({ kind }) => STATUSES.has(kind)),
    () => ANY_VERSION,
  ).map((resources) => ({ ...resources, resources: resources.resources.map((plural) => `${plural}/status`) }))
