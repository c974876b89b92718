import { clientInputOf, keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from './describe.ts'
import { manifest } from './manifest.ts'

const AVOIDED = '"{variable}" lets clients avoid this limit by {means}'

/** Each new key starts with an empty bucket, so a client that chooses its key is never limited. */
export default rule({
  id: 'gateway/key-client-controlled',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key that clients can vary also identifies the client.',
  why: 'Each key has its own bucket, and a new bucket lets the first requests pass. A client that sends another value each time is never limited, and fills the zone until the buckets of other clients are evicted.',
  remedy: 'Put "$binary_remote_addr" in front of the key, or use a key that clients cannot choose.',
  source: 'nginx, limit_req_zone; nginx, alphabetical index of variables',
  messages: {
    varies: AVOIDED,
    query: {
      text: AVOIDED,
      remedy: 'Use "$uri", which has no query string, or put "$binary_remote_addr" in front of the key.',
    },
    address: { text: AVOIDED, remedy: 'Use "$binary_remote_addr" instead.' },
    host: { text: AVOIDED, remedy: 'Use "$host" instead, which is the host name without a port.' },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $request_uri, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr$request_uri, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables)
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits?.varied || traits.unique || traits.parts.every(clientInputOf)) continue
      const { remedy, variable, means } = traits.varied
      report(remedy, limit.key, { variable: shorten(`$${variable}`), means: shorten(means) })
    }
  },
})
