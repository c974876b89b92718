import { clientInputOf, keyPlatform, keyTraits, limitsEveryRequest } from '../../src/gateway/keys/keys.ts'
import { cutNames } from '../../src/gateway/keys/supplied.ts'
import { awaitsModule } from '../../src/gateway/keys/unknown-variables.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

const AVOIDED = '"{variable}" lets clients avoid this limit by {means}'

/** Each new key starts with an empty bucket, so a client that chooses its key is never limited. */
export default rule({
  id: 'gateway/key-client-controlled',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A limit is not avoided by sending another value in each request.',
  why: 'Each key has its own bucket, and a new bucket lets the first requests pass. A client that sends another value each time is never limited, whatever else is in the key, and fills the zone until the buckets of other clients are evicted.',
  remedy: 'Add a second limit with the key "$binary_remote_addr", or use only that key.',
  source: 'nginx, limit_req_zone; nginx, alphabetical index of variables',
  messages: {
    varies: AVOIDED,
    query: {
      text: AVOIDED,
      remedy:
        'Replace "{variable}" with "$uri", which has no query string, or add a second limit with the key "$binary_remote_addr".',
    },
    address: { text: AVOIDED, remedy: 'Replace "{variable}" with "$binary_remote_addr".' },
    host: {
      text: AVOIDED,
      remedy:
        'Replace "{variable}" with "$server_name", the hostname of the listener or route, which clients cannot vary.',
    },
  },
  examples: () => ({
    bad: manifest({ limits: ['{ key: $request_uri, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({
      limits: [
        '{ key: $request_uri, rate: 10r/s, zoneSize: 10m }',
        '{ key: $binary_remote_addr, rate: 100r/s, zoneSize: 10m }',
      ],
    }),
  }),
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    if (limits.some((limit) => limitsEveryRequest(keyTraits(limit, nginx)))) return
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits?.varied || traits.unique || traits.parts.every(clientInputOf) || cutNames(traits.parts).length > 0)
        continue
      const { remedy, variable, means } = traits.varied
      if (awaitsModule(limit.key.value, nginx, variable)) continue
      report(remedy, limit.key, { variable: shorten(`$${variable}`), means: shorten(means) })
    }
  },
})
