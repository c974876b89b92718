import { keyPlatform } from '../../src/gateway/keys/keys.ts'
import { leastKeyBytes, sizeForKeys, usableSize } from '../../src/gateway/keys/zones.ts'
import type { LimitView } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { describeBytes } from '../../src/limits/size.ts'
import { bytesPerKey, keysHeld } from '../../src/nginx/memory.ts'
import { manifest } from './manifest.ts'

const LOWER = 'Lower zoneSize (10m holds about 80,000 clients), or raise budgets.zoneMemory in the settings.'

/** A zone reserves all its memory at the start, and evicts keys when it is full. */
export default rule({
  id: 'gateway/zone-memory',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['budgets', 'platform', 'variables'],
  summary: 'Zones are large enough for the expected keys, and small enough for the memory budget.',
  why: 'Every nginx pod reserves the memory of all its zones. A zone that is too small evicts the clients that it has not seen for the longest time, so that their limits start again. If that does not free enough memory, it rejects requests.',
  remedy:
    'Change zoneSize (10m holds about 80,000 clients), or change budgets.zoneMemory or budgets.expectedKeys in the settings.',
  source: 'nginx, limit_req_zone (size of a state; "the least recently used state is removed")',
  messages: {
    one: { text: 'this zone takes {total} of shared memory, more than the budget of {budget}', remedy: LOWER },
    together: {
      text: 'the {count} zones of this policy take {total} of shared memory, more than the budget of {budget}',
      remedy: LOWER,
    },
    few: {
      text: 'a zone of {size} holds at most {held} keys, but {expected} are expected',
      remedy: 'Write at least "{enough}", or lower budgets.expectedKeys in the settings.',
    },
    never: {
      text: 'a zone of {size} holds at most {held} keys, but {expected} are expected',
      remedy: 'Shorten the key, or lower budgets.expectedKeys in the settings: no zone can hold that many keys.',
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 512m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits, rules }, { report, budgets, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    const { pageSize } = platform
    let total = 0
    for (const limit of limits) {
      const size = usableSize(limit, pageSize)
      total += size?.bytes ?? 0
      const keyBytes = leastKeyBytes(limit, nginx)
      if (!size || keyBytes === undefined) continue
      if (surelyHolds(size.bytes / bytesPerKey(keyBytes, pageSize), budgets.expectedKeys)) continue
      const held = keysHeld({ zoneBytes: size.bytes, keyBytes, pageSize })
      if (held >= budgets.expectedKeys) continue
      const enough = sizeForKeys(budgets.expectedKeys, keyBytes, pageSize)
      const data = { size: `${size.count}${size.unit}`, held, expected: budgets.expectedKeys, enough }
      report(enough === undefined ? 'never' : 'few', limit.zoneSize, data)
    }
    if (total <= budgets.zoneMemory) return
    const budget = describeBytes(budgets.zoneMemory)
    const bytesOf = (limit: LimitView): number => usableSize(limit, pageSize)?.bytes ?? 0
    const alone = limits.find((limit) => bytesOf(limit) > budgets.zoneMemory)
    if (alone) report('one', alone.zoneSize, { total: describeBytes(bytesOf(alone)), budget })
    else
      report('together', rules, {
        total: describeBytes(total),
        budget,
        count: limits.filter((limit) => bytesOf(limit) > 0).length,
      })
  },
})

/** Saves the exact count for nearly every zone: most hold many times the expected keys. */
const surelyHolds = (roughly: number, expected: number): boolean => roughly > 2 * expected + 1000
