import { keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { suppliedBy } from '../../src/gateway/keys/supplied.ts'
import { rule } from '../../src/gateway/rule.ts'
import { knowsVariable } from '../../src/nginx/variables.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** A key that is the same for every request makes one bucket, which a single client can use up. */
export default rule({
  id: 'gateway/key-constant',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key has different values for different clients.',
  why: 'Requests with the same key share one bucket. If every request has the same key, one busy client uses up the rate, and all other clients are rejected too.',
  remedy:
    'Use a key that differs between clients, such as "$binary_remote_addr". If all clients should share one budget, add the comment "# sluice-disable-line gateway/key-constant -- the reason".',
  source: 'specification of RateLimitPolicy, rule object (key); nginx, limit_req_zone',
  messages: {
    constant: 'the key "{key}" is constant: all clients share one budget',
    present: 'the key "{key}" is the same in every request with {supplied}, and empty in others, which are not limited',
    second:
      'the key "{key}" is the same for all clients, and another one each second: they share one budget per second',
    dollar: {
      text: '"{key}" is fixed text, not the variable "{variable}": all clients share one budget',
      remedy: 'Write "{variable}".',
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits?.sharing) continue
      const key = limit.key.value?.unquoted ?? ''
      const supplied = traits.parts.map(suppliedBy).join()
      if (traits.sharing !== 'always') {
        report(traits.sharing === 'where-present' ? 'present' : 'second', limit.key, { key: shorten(key), supplied })
        continue
      }
      const isVariable = /^\w+$/.test(key) && knowsVariable(key.toLowerCase(), { ...nginx, isOpen: false })
      report(isVariable ? 'dollar' : 'constant', limit.key, { key: shorten(key), variable: `$${key}` })
    }
  },
})
