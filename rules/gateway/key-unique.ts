import { rule } from '../../src/engine/rule.ts'
import { keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { manifest } from './manifest.ts'

/** A bucket that no second request ever meets limits nothing. */
export default rule({
  id: 'gateway/key-unique',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key is the same for requests that belong together.',
  why: 'nginx counts requests with the same key. Where the key is a new one in every request, each request is the first of its bucket: none is ever limited, and the zone fills with entries that nobody needs.',
  remedy: 'Leave it out and name what requests have in common, such as "$binary_remote_addr".',
  source: 'nginx, limit_req_zone; nginx, alphabetical index of variables',
  messages: {
    request: '"{variable}" is new in every request: no two requests share a bucket, so this limit never applies',
    millisecond:
      '"{variable}" is new every millisecond: hardly two requests share a bucket, so this limit hardly ever applies',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr$request_id, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables.defined)
    for (const limit of limits) {
      const unique = keyTraits(limit, nginx)?.unique
      if (!unique) continue
      const message = unique.facts.changes === 'millisecond' ? 'millisecond' : 'request'
      report(message, limit.key, { variable: `$${unique.name}` })
    }
  },
})
