/** Texts to worlds of which questions can be asked: what stands in them, and which of their policies count. */
import { RULES } from '../../rules/index.ts'
import { describeMessage } from '../engine/finding.ts'
import { createJudge } from '../engine/run.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import type { FoundPolicy, GatewayObjects as Harvest } from './gateway-worlds.ts'
import { isFilledInLater } from '../project/subjects.ts'
import type { Source } from '../project/source.ts'
import { collectGatewayWorlds, gatewayWorld, isolatedGatewayWorld } from './gateway-worlds.ts'
import type { Settings } from '../settings/settings.ts'
import type { GatewayLookups as World } from '../gateway/lookups/lookups.ts'

/** Why a policy does not count: what the lint of the object alone calls errors. */
export type Invalidity = {
  readonly errors: number
  /** The first of them, in words. */
  readonly message: string
}

/** One world as a question sees it. */
export type Sight = {
  /** Empty for the world of texts that name none. */
  readonly name: string
  readonly harvest: Harvest
  /** Policies with errors of their own are not in it: no cluster takes them, or no nginx does. */
  readonly world: World
  readonly invalid: ReadonlyMap<PolicyView, Invalidity>
  /** True where the texts are all there is. */
  readonly closedWorld: boolean
}

export type SightOptions = {
  readonly settings: Settings
  /** True where the texts are all there is. */
  readonly closedWorld: boolean
}

/** Reads texts into the worlds that they make. */
export function sightsOf(sources: Iterable<Source>, { settings, closedWorld }: SightOptions): readonly Sight[] {
  const worlds = collectGatewayWorlds(sources, apiNames(settings.apiGroups))
  return [...worlds].map(([name, harvest]) => {
    const invalid = findInvalid(harvest, settings)
    const policies = harvest.policies.filter(({ view }) => !invalid.has(view))
    const world = gatewayWorld({ ...harvest, policies }, { closed: closedWorld })
    return { name, harvest, invalid, world, closedWorld: closedWorld && !harvest.partial }
  })
}

/** Whether a policy is valid is no matter of taste: severities that a project sets do not count. */
function findInvalid(harvest: Harvest, settings: Settings): ReadonlyMap<PolicyView, Invalidity> {
  const judge = createJudge({ rules: RULES, settings: { ...settings, rules: {}, ruleset: undefined } })
  const world = { lookups: isolatedGatewayWorld(harvest, apiNames(settings.apiGroups)) }
  const rules = new Map(RULES.map((rule) => [rule.id, rule]))
  const invalid = new Map<PolicyView, Invalidity>()
  for (const { view } of policiesOf(harvest)) {
    const findings = judge({ kind: 'RateLimitPolicy', view, object: view.object, identity: view.identity, world })
    const errors = findings.filter(
      ({ severity, pointer }) => severity === 'error' && !isFilledInLater(view, pointer),
    )
    const [first] = errors
    const rule = first && rules.get(first.rule)
    if (first && rule) invalid.set(view, { errors: errors.length, message: describeMessage(rule, first).message })
  }
  return invalid
}

/** The policies that are judged: of a version that we know, whatever their name will be. */
export const policiesOf = ({ policies }: Harvest): readonly FoundPolicy[] => policies.filter(({ known }) => known)
