import { rule } from '../../src/gateway/rule.ts'
import { TARGET_KINDS, type TargetView } from '../../src/gateway/objects/policy.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { manifest } from './manifest.ts'
import { violationsOf } from './owners.ts'

/** Only objects of the Gateway API can be targets. */
export default rule({
  id: 'gateway/target-group',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['names'],
  fix: 'safe',
  summary: 'A target is of the group gateway.networking.k8s.io.',
  why: 'Gateways and routes are found by group, kind and name. The group has no default, and the API server refuses every other one.',
  remedy: 'Write group: {meant}.',
  source: 'specification of RateLimitPolicy, targetRefs[].group',
  messages: {
    missing: 'the target has no group',
    wrong: '"{group}" is not the group of {kind}',
  },
  examples: {
    bad: manifest({ targets: ['{ kind: HTTPRoute, name: coffee }'] }),
    good: manifest({ targets: ['{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }'] }),
  },
  check(policy, { names, report }) {
    const meant = names.gatewayGroup
    const missing = violationsOf(policy, 'gateway/target-group').filter(({ keyword }) => keyword === 'required')
    for (const target of policy.targets) {
      const { group, kind } = target
      if (group.value === meant || !isOurs(target)) continue
      const patch = { path: group.pointer, value: meant }
      if (missing.some(({ pointer }) => pointer === group.pointer))
        report('missing', group, { meant }, [{ op: 'add', ...patch }])
      else if (group.value !== undefined)
        report('wrong', group, { group: group.value, kind: kind.value ?? 'a target', meant }, [
          { op: 'replace', ...patch },
        ])
    }
  },
})

/** A Service, say, has another group of its own: there the kind is the mistake. */
const isOurs = ({ kind }: TargetView): boolean =>
  kind.value !== undefined || typeof kind.raw !== 'string' || nearestInAnyCase(kind.raw, TARGET_KINDS) !== undefined
