import { celText } from '../../src/engine/cel.ts'
import { IS_TARGET_KIND } from '../../src/gateway/cel/policy.ts'
import { TARGET_KINDS, type TargetView } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { manifest } from './manifest.ts'
import { violationsOf } from './schema-violations.ts'

/** CEL: as {@link isOurs}, but for kinds that are almost one of ours. */
const IS_OURS = `(type(target.raw.?kind.orValue(null)) != string || ${IS_TARGET_KIND})`

const CORRECT = 'Write "group: {meant}".'

/** Only objects of the Gateway API can be targets. */
export default rule({
  id: 'gateway/target-group',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['names'],
  fix: 'safe',
  summary: 'The group of a target is gateway.networking.k8s.io.',
  why: 'A target is found by its group, kind and name. The group has no default, and the API server refuses any other group.',
  remedy: 'Write "group: gateway.networking.k8s.io".',
  source: 'specification of RateLimitPolicy, targetRefs[].group',
  messages: {
    missing: { text: 'the target has no group', remedy: CORRECT },
    wrong: { text: '"{group}" is not the group of {kind}', remedy: CORRECT },
  },
  cel: ({ names }) => ({
    each: 'target',
    of: 'policy.targets',
    cases: [
      {
        message: 'missing',
        at: 'group',
        when: `target.isObject && target.raw.?group.orValue(null) == null && ${IS_OURS}`,
        values: { meant: celText(names.gatewayGroup) },
      },
      {
        message: 'wrong',
        at: 'group',
        when: `has(target.group) && target.group != ${celText(names.gatewayGroup)} && ${IS_OURS}`,
        values: { group: 'target.group', kind: "target.?kind.orValue('a target')", meant: celText(names.gatewayGroup) },
      },
    ],
  }),
  examples: () => ({
    bad: manifest({ targets: ['{ kind: HTTPRoute, name: coffee }'] }),
    good: manifest({ targets: ['{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }'] }),
  }),
  check(policy, { names, report }) {
    const meant = names.gatewayGroup
    const violations = violationsOf(policy, 'gateway/target-group')
    const missing = new Set(violations.flatMap(({ keyword, pointer }) => (keyword === 'required' ? [pointer] : [])))
    for (const target of policy.targets) {
      const { group, kind } = target
      if (group.value === meant || !isOurs(target)) continue
      const patch = { path: group.pointer, value: meant }
      if (missing.has(group.pointer)) report('missing', group, { meant }, [{ op: 'add', ...patch }])
      else if (group.value !== undefined)
        report('wrong', group, { group: group.value, kind: kind.value ?? 'a target', meant }, [
          { op: 'replace', ...patch },
        ])
    }
  },
})

/** False for a kind that has another group, such as Service: there the kind is the mistake. */
const isOurs = ({ kind }: TargetView): boolean =>
  kind.value !== undefined || typeof kind.raw !== 'string' || nearestInAnyCase(kind.raw, TARGET_KINDS) !== undefined
