import { celText } from '../../src/engine/cel.ts'
import { rule } from '../../src/gateway/rule.ts'
import { missingLimits } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** CEL: a member of a map, which is one and not empty itself, is absent or empty. */
const isMissing = (map: string, name: string, type: 'map' | 'list' = 'map'): string =>
  `[policy.${map}.?${name}.orValue(null)].exists(it, it == null || type(it) == ${type} && size(it) == 0)`
const HAS_NO_SETTINGS = "['dryRun', 'logLevel', 'rejectCode'].all(name, policy.rateLimit[?name].orValue(null) == null)"

/** A policy without limits looks like protection but limits nothing. */
export default rule({
  id: 'gateway/no-limits',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A policy has at least one limit.',
  why: 'The API server accepts a policy without limits, and the controller still marks its targets as affected. They look protected, but nothing is limited.',
  remedy: 'Add a limit under spec.rateLimit.local.rules, or delete the policy.',
  source: 'specification of RateLimitPolicy, "Resources and their fields" and "Status of a target"',
  messages: { none: 'the policy limits nothing: {field} is {state}' },
  cel: {
    cases: [
      {
        at: 'spec.rateLimit',
        when: `type(policy.object.?spec.orValue(null)) == map && ${isMissing('spec', 'rateLimit')}`,
      },
      {
        at: 'spec.rateLimit.local',
        when: `size(policy.rateLimit) > 0 && ${HAS_NO_SETTINGS} && ${isMissing('rateLimit', 'local')}`,
      },
      {
        at: 'spec.rateLimit.local.rules',
        when: `size(policy.local) > 0 && ${HAS_NO_SETTINGS} && ${isMissing('local', 'rules', 'list')}`,
      },
    ].map(({ at, when }) => ({
      message: 'none' as const,
      at,
      when,
      values: {
        field: celText(at),
        state: `(policy.object.${at.replace(/\.(\w+)$/, '.?$1')}.orValue(null) == null ? 'missing' : 'empty')`,
      },
    })),
  },
  examples: () => ({
    bad: manifest({ limits: [] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check(policy, { report }) {
    const empty = missingLimits(policy)
    if (empty && empty.settings.length === 0)
      report('none', empty.at, {
        field: empty.at.pointer.slice(1).replaceAll('/', '.'),
        state: empty.at.raw ? 'empty' : 'missing',
      })
  },
})
