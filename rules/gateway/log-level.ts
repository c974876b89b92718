import { rule } from '../../src/engine/rule.ts'
import { LOG_LEVELS } from '../../src/nginx/responses.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { manifest } from './manifest.ts'
import { shorten } from './words.ts'

/** Levels of other programs, and of nginx's error log, by the nearest that limits can be logged at. */
const NEIGHBOURS: Readonly<Record<string, string>> = {
  trace: 'info',
  debug: 'info',
  warning: 'warn',
  crit: 'error',
  critical: 'error',
  fatal: 'error',
  alert: 'error',
  emerg: 'error',
}

/** `limit_req_log_level` knows four of the levels of nginx's log. */
export default rule({
  id: 'gateway/log-level',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'Limits are logged at info, notice, warn or error.',
  why: 'NGINX logs rejected requests at this level, and delayed ones one level below. It knows these four, in lower case, and the API server refuses any other.',
  remedy: 'Write logLevel: info, notice, warn or error.',
  source: 'specification of RateLimitPolicy, logLevel; nginx, limit_req_log_level',
  messages: {
    near: { text: '"{level}" is no level at which limits are logged', remedy: 'Write logLevel: {meant}.' },
    unknown: '"{level}" is no level at which limits are logged',
  },
  examples: {
    bad: manifest({ settings: ['logLevel: warning'] }),
    good: manifest({ settings: ['logLevel: warn'] }),
  },
  check({ logLevel }, { report }) {
    const { raw, value } = logLevel
    if (typeof raw !== 'string' || value) return
    const word = raw.trim().toLowerCase()
    const meant = Object.hasOwn(NEIGHBOURS, word) ? NEIGHBOURS[word] : nearestInAnyCase(word, LOG_LEVELS)
    report(meant === undefined ? 'unknown' : 'near', logLevel, { level: shorten(raw), meant })
  },
})
