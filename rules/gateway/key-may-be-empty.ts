import { rule } from '../../src/engine/rule.ts'
import { clientInputOf, type KeyTraits, keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { manifest } from './manifest.ts'
import { listed, shorten } from './words.ts'

/** nginx does not apply a limit to a request whose key is empty. */
export default rule({
  id: 'gateway/key-may-be-empty',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key has a value in every request.',
  why: 'nginx skips a limit whose key is empty. Where the key is only a header, an argument or a cookie, a client that leaves it out is not limited at all, and one that changes it each time gets a new bucket each time.',
  remedy:
    'Add a limit by "$binary_remote_addr" beside it, or define a variable with map that falls back to the address and use that as the key.',
  source: 'nginx, limit_req_zone ("requests with an empty key value are not accounted")',
  messages: {
    sometimes: 'a request without {supplied} has an empty key and is not limited; a client can also vary it at will',
    always: {
      text: 'the key {key} is empty in every request: this limit never applies',
      remedy: 'Name what clients are told apart by, such as "$binary_remote_addr".',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $http_x_api_key, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({
      limits: [
        '{ key: $http_x_api_key$binary_remote_addr, rate: 10r/s, zoneSize: 10m }',
        '{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }',
      ],
    }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables.defined)
    const isCovered = limits.some((limit) => limitsEverybody(keyTraits(limit, nginx)))
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits || traits.emptiness === 'never') continue
      const supplied = traits.parts.flatMap((part) => clientInputOf(part) ?? [])
      const isAllSupplied = supplied.length === traits.parts.length
      const named = supplied.filter(({ name }) => name !== '')
      const names = new Set(named.map(({ type, name }) => `the ${type} "${shorten(name)}"`))
      if (traits.emptiness === 'always' || (isAllSupplied && named.length === 0))
        report('always', limit.key, { key: shorten(String(limit.key.raw)) })
      else if (isAllSupplied && !isCovered) report('sometimes', limit.key, { supplied: listed([...names]) })
    }
  },
})

/** A limit that no request escapes, so that another one beside it may well be for some requests only. */
const limitsEverybody = (traits: KeyTraits | undefined): boolean =>
  traits?.emptiness === 'never' && !traits.unique && !traits.varied
