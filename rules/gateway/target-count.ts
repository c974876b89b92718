import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'
import { violationsOf } from './owners.ts'

/** The API server takes one to sixteen targets. */
export default rule({
  id: 'gateway/target-count',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has one to sixteen targets.',
  why: 'Without a target nobody is limited, and the status of a policy has room for sixteen. The API server refuses every other number.',
  remedy: 'Name at least one Gateway, HTTPRoute or GRPCRoute.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    missing: 'the policy has no targetRefs',
    none: 'targetRefs is empty',
    many: {
      text: '{count} targets are too many: {most} is the most',
      remedy:
        'Split the policy; each part then counts for itself. Where these are all the routes of one Gateway, target that.',
    },
  },
  examples: {
    bad: manifest({ targets: [] }).replace('targetRefs:', 'targetRefs: []'),
    good: manifest({ targets: [target('Gateway', 'shop')] }),
  },
  check(policy, { report }) {
    const { targets } = policy
    for (const { pointer, keyword, bound } of violationsOf(policy, 'gateway/target-count')) {
      if (keyword === 'required') report('missing', pointer)
      else if (targets.length === 0) report('none', pointer)
      else report('many', pointer, { count: targets.length, most: bound })
    }
  },
})
