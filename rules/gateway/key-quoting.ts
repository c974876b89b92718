import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** nginx reads the quotes and backslashes of a key before it reads the key. */
export default rule({
  id: 'gateway/key-quoting',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key that starts with a quote ends with the same quote, and no key ends with a backslash.',
  why: 'The API server accepts such a key, but nginx does not. An open quote or a trailing backslash makes the rest of the configuration unreadable, and no later change to that Gateway takes effect.',
  remedy: 'Write the key without quotes and backslashes.',
  source: 'nginx, syntax of the configuration file; limit_req_zone (parameter key)',
  messages: {
    'unclosed-quote': {
      text: 'the key {key} opens a quote and does not close it: nginx reads on to the end of the file',
      remedy: 'Remove the {quote}, or close it at the end of the key.',
    },
    'text-after-quote': {
      text: 'the key {key} continues after its closing quote, which nginx refuses',
      remedy: 'Put the whole key in quotes, or remove them; write a quote inside a key as \\{quote}.',
    },
    'trailing-backslash': {
      text: 'the key {key} ends with a backslash: nginx reads the zone after it as part of the key',
      remedy: 'Remove the backslash, or write two of them.',
    },
  },
  cel: {
    each: 'limit',
    of: 'policy.limits',
    cases: (['unclosed-quote', 'text-after-quote', 'trailing-backslash'] as const).map((message) => ({
      message,
      at: 'key',
      when: `limit.keyProblem == '${message}'`,
      values: { key: shortened('limit.key'), quote: 'limit.key.substring(0, 1)' },
    })),
  },
  examples: () => ({
    bad: manifest({ limits: [`{ key: '"$binary_remote_addr', rate: 10r/s, zoneSize: 10m }`] }),
    good: manifest({ limits: [`{ key: '"$binary_remote_addr"', rate: 10r/s, zoneSize: 10m }`] }),
  }),
  check({ limits }, { report }) {
    for (const { key } of limits) {
      const { written = '', problem } = key.value ?? {}
      if (problem === undefined || problem === 'too-long') continue
      report(problem, key, { key: shorten(written), quote: written.charAt(0) })
    }
  },
})
