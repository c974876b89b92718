import { rule } from '../../src/engine/rule.ts'
import { keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { knowsVariable } from '../../src/nginx/variables.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** A key that is the same in every request makes one bucket, which a single client can use up for all. */
export default rule({
  id: 'gateway/key-constant',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key tells clients apart.',
  why: 'Requests with the same key share one bucket. Where all requests have the same key, one busy client uses up the rate and everybody else is rejected.',
  remedy:
    'Use a key that tells clients apart, such as "$binary_remote_addr". Where one budget for everybody is meant, say so beside it with "# sluice-disable-line gateway/key-constant -- the reason".',
  source: 'specification of RateLimitPolicy, rule object (key); nginx, limit_req_zone',
  messages: {
    constant: 'the key "{key}" is the same in every request: all clients share one budget',
    dollar: {
      text: 'the key "{key}" is a fixed text and not the variable "{variable}": all clients share one budget',
      remedy: 'Write it as "{variable}".',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables.defined)
    for (const limit of limits) {
      if (!keyTraits(limit, nginx)?.isConstant) continue
      const key = limit.key.value?.unquoted ?? ''
      const isVariable = /^\w+$/.test(key) && knowsVariable(key.toLowerCase(), nginx)
      report(isVariable ? 'dollar' : 'constant', limit.key, { key: shorten(key), variable: `$${key}` })
    }
  },
})
