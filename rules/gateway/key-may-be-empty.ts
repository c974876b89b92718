import {
  clientInputOf,
  type KeyTraits,
  keyPlatform,
  keyTraits,
  limitsEveryRequest,
} from '../../src/gateway/keys/keys.ts'
import { suppliedBy } from '../../src/gateway/keys/supplied.ts'
import { awaitsModule } from '../../src/gateway/keys/unknown-variables.ts'
import { rule } from '../../src/gateway/rule.ts'
import { joinItems, shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx does not apply a limit to a request whose key is empty. */
export default rule({
  id: 'gateway/key-may-be-empty',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key has a value in every request.',
  why: 'nginx does not apply a limit to a request whose key is empty. If the key is only what a request may lack, such as a header, an argument, a cookie, a user name or a client certificate, a client without it is not limited. Limits are checked before passwords and tokens are, so a client that sends another header or user name each time gets a new bucket each time.',
  remedy: 'Add a second limit with the key "$binary_remote_addr", which limits all requests of a client.',
  source: 'nginx, limit_req_zone ("requests with an empty key value are not accounted")',
  messages: {
    sometimes: 'a request without {supplied} has an empty key and is not limited',
    always: {
      text: 'the key {key} is always empty: this limit never applies',
      remedy: 'Use a key that differs between clients, such as "$binary_remote_addr".',
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $http_x_api_key, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({
      limits: [
        '{ key: $http_x_api_key, rate: 10r/s, zoneSize: 10m }',
        '{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }',
      ],
    }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    const isCovered = limits.some((limit) => limitsEveryRequest(keyTraits(limit, nginx)))
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits || traits.emptiness === 'never' || awaitsModule(limit.key.value, nginx)) continue
      if (traits.sharing === 'where-present') continue
      const supplied = traits.parts.flatMap((part) => suppliedBy(part) ?? [])
      const isAllSupplied = supplied.length === traits.parts.length
      const names = new Set(supplied.filter((name) => name !== '').map((name) => shorten(name)))
      if (traits.emptiness === 'always' || (isAllSupplied && names.size === 0))
        report('always', limit.key, { key: shorten(String(limit.key.raw)) })
      else if (isAllSupplied && !isCovered && !isReportedElsewhere(traits))
        report('sometimes', limit.key, { supplied: joinItems([...names]) })
    }
  },
})

/** Another rule reports the key, and what it advises also cures an empty one. */
const isReportedElsewhere = ({ unique, varied, parts }: KeyTraits): boolean =>
  unique !== undefined || (varied !== undefined && !parts.every(clientInputOf))
