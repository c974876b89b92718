/** Reads sources into the worlds that queries look at: their objects, and which of their policies are valid. */
import { RULES } from '../../rules/index.ts'
import { prose } from '../engine/finding.ts'
import { createJudge } from '../engine/run.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import type { Invalidity } from '../gateway/status/status.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import type { FoundPolicy, Harvest } from '../project/objects.ts'
import { isFilledInLater } from '../project/placeholders.ts'
import type { Source } from '../project/source.ts'
import { harvestWorlds, lonelyWorld, worldOf } from '../project/worlds.ts'
import type { Settings } from '../settings/settings.ts'
import type { World } from '../world/world.ts'

/** The objects of one world, and the lookups over them. */
export type NamedWorld = {
  /** The name in the settings; empty for sources that belong to no world. */
  readonly name: string
  readonly objects: Harvest
  readonly world: World
}

/** One world as a query looks at it. In its `world`, policies with errors are left out: they are not applied. */
export type QueryWorld = NamedWorld & {
  /** The policies that are not applied, with the errors that lint reports on each object alone. */
  readonly invalid: ReadonlyMap<PolicyView, Invalidity>
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
}

export type QueryWorldOptions = {
  readonly settings: Settings
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
}

/** Reads sources into their worlds. */
export function queryWorlds(
  sources: Iterable<Source>,
  { settings, closedWorld }: QueryWorldOptions,
): readonly QueryWorld[] {
  const { worlds } = harvestWorlds(sources, apiNames(settings.apiGroups))
  return [...worlds].map(([name, objects]) => {
    const invalid = findInvalid(objects, settings)
    const policies = objects.policies.filter(({ view }) => !invalid.has(view))
    const world = worldOf({ ...objects, policies }, { closed: closedWorld })
    return { name, objects, invalid, world, closedWorld: closedWorld && !objects.partial }
  })
}

/** Severities in the settings do not count here: they do not change what the API server and nginx accept. */
function findInvalid(objects: Harvest, settings: Settings): ReadonlyMap<PolicyView, Invalidity> {
  const judge = createJudge({ rules: RULES, settings: { ...settings, rules: {}, ruleset: undefined } })
  const world = lonelyWorld(objects)
  const rules = new Map(RULES.map((rule) => [rule.id, rule]))
  const invalid = new Map<PolicyView, Invalidity>()
  for (const { view } of policiesOf(objects)) {
    const findings = judge({ kind: 'RateLimitPolicy', view, identity: view.identity, world })
    const errors = findings.filter(
      ({ severity, pointer }) => severity === 'error' && !isFilledInLater({ view }, pointer),
    )
    const [first] = errors
    const rule = first && rules.get(first.rule)
    if (first && rule) invalid.set(view, { errors: errors.length, message: prose(rule, first).message })
  }
  return invalid
}

/** The policies of a known API version, including those that a kustomization renames. */
export const policiesOf = ({ policies }: Harvest): readonly FoundPolicy[] => policies.filter(({ known }) => known)
