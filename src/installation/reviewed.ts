/** What the rules judge and look at, in the words of RBAC and of webhook configurations. */
import { RULES } from '../../rules/index.ts'
import type { AnyRule, Judged } from '../engine/rule.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'

/** Resources of one API group. */
export type Resources = {
  /** Empty for the core group. */
  readonly group: string
  readonly versions: readonly string[]
  readonly resources: readonly string[]
}

/** What a webhook is asked about. */
export type Reviewed = Resources & { readonly operations: readonly ('CREATE' | 'UPDATE' | 'DELETE')[] }

/** The policies that the rules judge: every version where a rule speaks of unknown ones. */
export function reviewedPolicies(rules: readonly AnyRule[] = RULES, names: ApiNames = apiNames()): Reviewed {
  const judged = new Set<Judged>(rules.flatMap(({ judges }) => judges))
  if (!judged.has('RateLimitPolicy')) throw new Error('no rule judges a RateLimitPolicy, so no webhook is needed')
  return {
    group: names.policyGroup,
    versions: judged.has('UnknownVersion') ? ['*'] : [names.policyVersion],
    resources: ['ratelimitpolicies'],
    operations: ['CREATE', 'UPDATE'],
  }
}

/** Where a policy can be attached: what becomes of it may change what policies mean. */
export const reviewedTargets = (names: ApiNames = apiNames()): Reviewed => ({
  group: names.gatewayGroup,
  versions: ['*'],
  resources: ['gateways', 'httproutes', 'grpcroutes'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
})

/** What the admission server watches to answer what the rules read. */
export const watched = (names: ApiNames = apiNames()): readonly Resources[] => [
  { group: '', versions: ['v1'], resources: ['namespaces'] },
  {
    group: names.gatewayGroup,
    versions: ['*'],
    resources: ['gatewayclasses', 'gateways', 'grpcroutes', 'httproutes'],
  },
  { group: names.policyGroup, versions: ['*'], resources: ['nginxproxies', 'ratelimitpolicies', 'snippetsfilters'] },
]
