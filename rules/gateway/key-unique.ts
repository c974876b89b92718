import { keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { rule } from '../../src/gateway/rule.ts'
import { manifest } from './manifest.ts'

const REMOVE =
  'Remove "{variable}" from the key; use a value that the requests of a client share, such as "$binary_remote_addr".'

/** A bucket that only one request uses limits nothing. */
export default rule({
  id: 'gateway/key-unique',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'Requests that should be counted together have the same key.',
  why: 'nginx counts the requests with the same key. If the key is different in every request, each request is the first in its bucket: none is ever rejected, and the zone fills with entries that are used only once.',
  remedy:
    'Remove the variable from the key; use a value that the requests of a client share, such as "$binary_remote_addr".',
  source: 'nginx, limit_req_zone; nginx, alphabetical index of variables',
  messages: {
    request: {
      text: '"{variable}" is different in every request, so this limit never applies',
      remedy: REMOVE,
    },
    millisecond: {
      text: '"{variable}" changes every millisecond, so this limit almost never applies',
      remedy: REMOVE,
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr$request_id, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    for (const limit of limits) {
      const unique = keyTraits(limit, nginx)?.unique
      if (!unique) continue
      const message = unique.facts.changes === 'millisecond' ? 'millisecond' : 'request'
      report(message, limit.key, { variable: `$${unique.name}` })
    }
  },
})
