import { rule } from '../../src/engine/rule.ts'
import { mayBeMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'

/** A size that is written down can be reviewed, and changed together with the key. */
export default rule({
  id: 'gateway/zone-size-implicit',
  severity: 'info',
  judges: 'RateLimitPolicy',
  fix: 'safe',
  summary: 'A limit names the size of its zone.',
  why: 'A limit without zoneSize takes 10m of shared memory all the same. Whoever changes its key later must change the size as well, which is easily missed where none is written.',
  remedy: 'Write "zoneSize: 10m", which changes nothing.',
  source: 'specification of RateLimitPolicy, rule object and "Errors"',
  messages: { implicit: 'no zoneSize: the zone of this limit takes the default of 10m' },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check(policy, { report }) {
    for (const { key, rate, zoneSize } of policy.limits) {
      const isReadable = key.value !== undefined && rate.value !== undefined && !mayBeMisspelt(policy, zoneSize.pointer)
      if (!isReadable || zoneSize.raw !== undefined) continue
      report('implicit', zoneSize, {}, [{ op: 'add', path: zoneSize.pointer, value: '10m' }])
    }
  },
})
