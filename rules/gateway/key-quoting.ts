import { rule } from '../../src/gateway/rule.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** nginx reads quotes and backslashes of a key before it reads the key. */
export default rule({
  id: 'gateway/key-quoting',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A key that begins with a quote ends with it, and no key ends with a backslash.',
  why: 'The API server accepts such a key, nginx does not. An open quote or a trailing backslash swallows what follows, so the whole configuration becomes unreadable and no later change to that gateway takes effect.',
  remedy: 'Write the key without quotes and backslashes.',
  source: 'nginx, syntax of the configuration file; limit_req_zone (parameter key)',
  messages: {
    'unclosed-quote': {
      text: 'the key {key} opens a quote and does not close it: nginx reads on to the end of the file',
      remedy: 'Leave the {quote} out, or close it at the end of the key.',
    },
    'text-after-quote': {
      text: 'the key {key} goes on behind its closing quote, which nginx refuses',
      remedy: 'Put the whole key into the quotes, or leave them out; a quote within a key is written \\{quote}.',
    },
    'trailing-backslash': {
      text: 'the key {key} ends with a backslash: nginx takes the blank behind it, and with it the zone, as part of the key',
      remedy: 'Leave the backslash out, or write two of them.',
    },
  },
  examples: {
    bad: manifest({ limits: [`{ key: '"$binary_remote_addr', rate: 10r/s, zoneSize: 10m }`] }),
    good: manifest({ limits: [`{ key: '"$binary_remote_addr"', rate: 10r/s, zoneSize: 10m }`] }),
  },
  check({ limits }, { report }) {
    for (const { key } of limits) {
      const { written = '', problem } = key.value ?? {}
      if (problem === undefined || problem === 'too-long') continue
      report(problem, key, { key: shorten(written), quote: written.charAt(0) })
    }
  },
})
