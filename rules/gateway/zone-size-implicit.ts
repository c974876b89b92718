import { rule } from '../../src/gateway/rule.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** A written size can be reviewed, and changed together with the key. */
export default rule({
  id: 'gateway/zone-size-implicit',
  severity: 'info',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A limit sets its zoneSize.',
  why: 'Without zoneSize, a zone takes the default of 10m of shared memory. When the key changes later, the size must change too, which is easy to forget if no size is written.',
  remedy: 'Add "zoneSize: 10m", which is the default and changes nothing.',
  source: 'specification of RateLimitPolicy, rule object and "Errors"',
  messages: {
    implicit: 'zoneSize is not set: the zone has the default size of 10m',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'implicit',
        at: 'zoneSize',
        when: 'has(limit.key) && has(limit.digits) && limit.raw.?zoneSize.orValue(null) == null',
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check(policy, { report }) {
    for (const { key, rate, zoneSize } of policy.limits) {
      const isReadable = key.value !== undefined && rate.value !== undefined && !mayBeMisspelt(policy, zoneSize.pointer)
      if (!isReadable || zoneSize.raw !== undefined) continue
      report('implicit', zoneSize, {}, [{ op: 'add', path: zoneSize.pointer, value: '10m' }])
    }
  },
})
