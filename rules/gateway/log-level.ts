import { shortened } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { LOG_LEVELS } from '../../src/nginx/responses.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

/** Levels of other programs and of the nginx error log, each with the nearest valid logLevel. */
const NEAREST: Readonly<Record<string, string>> = {
  trace: 'info',
  debug: 'info',
  warning: 'warn',
  crit: 'error',
  critical: 'error',
  fatal: 'error',
  alert: 'error',
  emerg: 'error',
}

/** limit_req_log_level accepts four of the levels of the nginx error log. */
export default rule({
  id: 'gateway/log-level',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'logLevel is info, notice, warn or error.',
  why: 'nginx logs rejected requests at this level, and delayed requests one level lower. It accepts these four levels, in lower case; the API server refuses any other value.',
  remedy: 'Write info, notice, warn or error.',
  source: 'specification of RateLimitPolicy, logLevel; nginx, limit_req_log_level',
  messages: {
    near: { text: '"{level}" is not a valid logLevel', remedy: 'Write "logLevel: {meant}".' },
    unknown: '"{level}" is not a valid logLevel',
  },
  cel: {
    cases: [
      {
        message: 'unknown',
        at: 'spec.rateLimit.logLevel',
        when: `[policy.rateLimit.?logLevel.orValue(null)].exists(level,
    type(level) == string && !(level in ['info', 'notice', 'warn', 'error']))`,
        values: { level: shortened('policy.rateLimit.logLevel') },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ settings: ['logLevel: warning'] }),
    good: manifest({ settings: ['logLevel: warn'] }),
  }),
  check({ logLevel }, { report }) {
    const { raw, value } = logLevel
    if (typeof raw !== 'string' || value) return
    const word = raw.trim().toLowerCase()
    const meant = Object.hasOwn(NEAREST, word) ? NEAREST[word] : nearestInAnyCase(word, LOG_LEVELS)
    report(meant === undefined ? 'unknown' : 'near', logLevel, { level: shorten(raw), meant })
  },
})
