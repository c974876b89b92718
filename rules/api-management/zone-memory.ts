import { sizeOf } from '../../src/api-management/applied.ts'
import type { LimitView } from '../../src/api-management/proxy.ts'
import { rule } from '../../src/api-management/rule.ts'
import { describeBytes } from '../../src/limits/size.ts'
import { ADDRESSABLE_BYTES } from '../../src/nginx/memory.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'

const LOWER = 'Lower zoneSize (10M holds about 80,000 clients), or raise budgets.zoneMemory in the settings.'

/** A zone reserves all its memory at the start. */
export default rule({
  id: 'api-management/zone-memory',
  severity: 'warning',
  judges: 'Proxy',
  reads: ['budgets'],
  summary: 'The zones of a proxy fit into the memory budget.',
  why: 'Every gateway reserves the memory of all zones when it starts, whether they are full or not. What the machine cannot give keeps nginx from starting.',
  remedy: LOWER,
  source: 'specification of the API management rate limit policy, limits.zoneSize; nginx, limit_req_zone',
  messages: {
    impossible: {
      text: 'nginx cannot allocate a zone of "{size}": no machine has the addresses for it',
      severity: 'error',
      remedy: 'Lower zoneSize, for example to "10M", which holds about 80,000 clients.',
    },
    'impossible-together': {
      text: 'nginx cannot allocate the {count} zones of this proxy: no machine has the addresses for {total}',
      severity: 'error',
      remedy: 'Lower their zoneSize, for example to "10M", which holds about 80,000 clients.',
    },
    one: { text: 'this zone takes {total} of shared memory, more than the budget of {budget}', remedy: LOWER },
    together: {
      text: 'the {count} zones of this proxy take {total} of shared memory, more than the budget of {budget}',
      remedy: LOWER,
    },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 512M }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check({ sets }, { report, budgets }) {
    const budget = describeBytes(budgets.zoneMemory)
    for (const { policies, rateLimit } of sets) {
      const limits = policies.flatMap((policy) => policy.limits)
      for (const { zoneSize } of limits)
        if (zoneSize.value && zoneSize.value.bytes >= ADDRESSABLE_BYTES)
          report('impossible', zoneSize, { size: shorten(String(zoneSize.raw)) })
      const [total, count] = [limits.reduce((sum, limit) => sum + bytesOf(limit), 0), limits.length]
      const alone = limits.find((limit) => bytesOf(limit) > budgets.zoneMemory)
      const data = { total: describeBytes(total), count, budget }
      if (total >= ADDRESSABLE_BYTES) report('impossible-together', rateLimit, data)
      else if (alone) report('one', alone.zoneSize, { total: describeBytes(bytesOf(alone)), budget })
      else if (total > budgets.zoneMemory) report('together', rateLimit, data)
    }
  },
})

/** What no machine has is reported by itself. */
function bytesOf(limit: LimitView): number {
  const { bytes = 0 } = sizeOf(limit) ?? {}
  return bytes < ADDRESSABLE_BYTES ? bytes : 0
}
