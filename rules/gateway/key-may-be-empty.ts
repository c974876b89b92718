import { clientInputOf, keyPlatform, keyTraits, limitsEveryRequest } from '../../src/gateway/keys/keys.ts'
import { rule } from '../../src/gateway/rule.ts'
import { joinItems, shorten } from './describe.ts'
import { manifest } from './manifest.ts'

/** nginx does not apply a limit to a request whose key is empty. */
export default rule({
  id: 'gateway/key-may-be-empty',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key has a value in every request.',
  why: 'nginx does not apply a limit to a request whose key is empty. If the key is only a header, an argument or a cookie, a client that omits it is not limited, and a client that changes it each time gets a new bucket each time.',
  remedy: 'Add a second limit with the key "$binary_remote_addr", which limits all requests of a client.',
  source: 'nginx, limit_req_zone ("requests with an empty key value are not accounted")',
  messages: {
    sometimes: 'a request without {supplied} has an empty key and is not limited',
    always: {
      text: 'the key {key} is always empty: this limit never applies',
      remedy: 'Use a key that differs between clients, such as "$binary_remote_addr".',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $http_x_api_key, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({
      limits: [
        '{ key: $http_x_api_key, rate: 10r/s, zoneSize: 10m }',
        '{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }',
      ],
    }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    const isCovered = limits.some((limit) => limitsEveryRequest(keyTraits(limit, nginx)))
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits || traits.emptiness === 'never') continue
      const supplied = traits.parts.flatMap((part) => clientInputOf(part) ?? [])
      const isAllSupplied = supplied.length === traits.parts.length
      const named = supplied.filter(({ name }) => name !== '')
      const names = new Set(named.map(({ type, name }) => `the ${type} "${shorten(name)}"`))
      if (traits.emptiness === 'always' || (isAllSupplied && named.length === 0))
        report('always', limit.key, { key: shorten(String(limit.key.raw)) })
      else if (isAllSupplied && !isCovered) report('sometimes', limit.key, { supplied: joinItems([...names]) })
    }
  },
})
