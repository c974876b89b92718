import { rule } from '../../src/gateway/rule.ts'
import { LONGEST_PARAMETER_BYTES } from '../../src/nginx/parameter.ts'
import { utf8Length } from '../../src/text/utf8.ts'
import { manifest } from './manifest.ts'

/** nginx reads its configuration through a buffer that one parameter must fit. */
export default rule({
  id: 'gateway/key-too-long',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key fits the buffer through which nginx reads its configuration.',
  why: 'The API server accepts a key of any length. One that is longer than the buffer makes nginx refuse its whole configuration, so no later change to that gateway takes effect.',
  remedy: 'Shorten it to at most {longest} bytes; a map can give a short name to a long value.',
  source: 'nginx, syntax of the configuration file ("too long parameter")',
  messages: { long: 'the key is {bytes} bytes long, and nginx reads at most {longest}' },
  examples: {
    bad: manifest({ limits: [`{ key: $host:${'x'.repeat(LONGEST_PARAMETER_BYTES)}, rate: 10r/s, zoneSize: 10m }`] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  },
  check({ limits }, { report }) {
    for (const { key } of limits) {
      if (key.value?.problem !== 'too-long') continue
      const quote = /^["']/.test(key.value.written) ? 1 : 0
      report('long', key, { bytes: utf8Length(key.value.written), longest: LONGEST_PARAMETER_BYTES + quote })
    }
  },
})
