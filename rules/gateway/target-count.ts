import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'
import { violationsOf } from './schema-violations.ts'

/** The API server accepts 1 to 16 targets. */
export default rule({
  id: 'gateway/target-count',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has 1 to 16 targets.',
  why: 'A policy without targets limits nothing, and its status has room for 16 targets. The API server refuses any other number.',
  remedy: 'Add at least one Gateway, HTTPRoute or GRPCRoute to targetRefs.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    missing: 'the policy has no targetRefs',
    none: 'targetRefs is empty',
    many: {
      text: 'the policy has {count} targets, but at most {most} are allowed',
      remedy:
        'Split the policy; each part then has its own budget. To limit all routes of one Gateway, target the Gateway.',
    },
  },
  cel: {
    cases: [
      {
        message: 'missing',
        at: 'spec.targetRefs',
        when: 'type(policy.object.?spec.orValue(null)) == map && policy.spec.?targetRefs.orValue(null) == null',
      },
      {
        message: 'none',
        at: 'spec.targetRefs',
        when: 'type(policy.spec.?targetRefs.orValue(null)) == list && size(policy.spec.targetRefs) == 0',
      },
      {
        message: 'many',
        at: 'spec.targetRefs',
        when: 'type(policy.spec.?targetRefs.orValue(null)) == list && size(policy.spec.targetRefs) > 16',
        values: { count: 'string(size(policy.spec.targetRefs))', most: "'16'" },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ targets: [] }).replace('targetRefs:', 'targetRefs: []'),
    good: manifest({ targets: [target('Gateway', 'shop')] }),
  }),
  check(policy, { report }) {
    const { targets } = policy
    for (const { pointer, keyword, bound } of violationsOf(policy, 'gateway/target-count')) {
      if (keyword === 'required') report('missing', pointer)
      else if (targets.length === 0) report('none', pointer)
      else report('many', pointer, { count: targets.length, most: bound })
    }
  },
})
