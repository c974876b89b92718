import { rule } from '../../src/gateway/rule.ts'
import { LONGEST_PARAMETER_BYTES } from '../../src/nginx/parameter.ts'
import { utf8Length } from '../../src/text/utf8.ts'
import { manifest } from './manifest.ts'

/** nginx reads its configuration through a buffer, and each parameter must fit into it. */
export default rule({
  id: 'gateway/key-too-long',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key is short enough for nginx to read.',
  why: 'The API server accepts a key of any length. If a key is longer than the buffer with which nginx reads its configuration, nginx refuses the whole configuration, and no later change to that Gateway takes effect.',
  remedy: `Shorten the key to at most ${LONGEST_PARAMETER_BYTES} bytes, for example with a map that defines a short variable for a long value.`,
  source: 'nginx, syntax of the configuration file ("too long parameter")',
  messages: {
    long: 'the key is {bytes} bytes long, but nginx reads at most {longest}',
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: [
      {
        message: 'long',
        at: 'key',
        when: "limit.keyProblem == 'too-long'",
        values: {
          bytes: 'string(size(bytes(limit.key)))',
          longest: `string(limit.key.startsWith('"') || limit.key.startsWith("'") ? ${LONGEST_PARAMETER_BYTES + 1} : ${LONGEST_PARAMETER_BYTES})`,
        },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ limits: [`{ key: $host:${'x'.repeat(LONGEST_PARAMETER_BYTES)}, rate: 10r/s, zoneSize: 10m }`] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'] }),
  }),
  check({ limits }, { report }) {
    for (const { key } of limits) {
      if (key.value?.problem !== 'too-long') continue
      const quote = /^["']/.test(key.value.written) ? 1 : 0
      report('long', key, { bytes: utf8Length(key.value.written), longest: LONGEST_PARAMETER_BYTES + quote })
    }
  },
})
