import { rule } from '../../src/engine/rule.ts'
import { clientInputOf, keyPlatform, keyTraits } from '../../src/gateway/keys/keys.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

const ESCAPES = 'a client escapes this limit by {means}: "{variable}" then gives another key'

/** Who chooses the key chooses the bucket, and a new bucket is always empty. */
export default rule({
  id: 'gateway/key-client-controlled',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['platform', 'variables'],
  summary: 'A key that clients can vary at will also names the client.',
  why: 'Each key has a bucket of its own, and a new one lets the first requests pass. A client that sends another value each time never meets the limit, and fills the zone until the buckets of others are dropped.',
  remedy: 'Put "$binary_remote_addr" in front of it, or use a key that the client cannot choose.',
  source: 'nginx, limit_req_zone; nginx, alphabetical index of variables',
  messages: {
    varies: ESCAPES,
    query: {
      text: ESCAPES,
      remedy: 'Use "$uri", which has no query string, or put "$binary_remote_addr" in front of it.',
    },
    address: {
      text: ESCAPES,
      remedy: 'Use "$binary_remote_addr" in its place.',
    },
    host: {
      text: ESCAPES,
      remedy: 'Use "$host", which is the host name alone.',
    },
  },
  examples: {
    bad: manifest({ limits: ['{ key: $request_uri, rate: 10r/s, zoneSize: 10m }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr$request_uri, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report, platform, variables }) {
    const nginx = keyPlatform(platform, variables.defined)
    for (const limit of limits) {
      const traits = keyTraits(limit, nginx)
      if (!traits?.varied || traits.unique || traits.parts.every(clientInputOf)) continue
      const { remedy, variable, means } = traits.varied
      report(remedy, limit.key, { variable: shorten(`$${variable}`), means: shorten(means) })
    }
  },
})
