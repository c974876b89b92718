import { LIMIT_KEYS, type LimitKey } from '../../src/api-management/proxy.ts'
import { rule } from '../../src/api-management/rule.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { shorten } from '../describe.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** A limit counts by one of three values. */
export default rule({
  id: 'api-management/rate-limit-by',
  severity: 'error',
  judges: 'Proxy',
  summary: 'rateLimitBy is uri, consumer or client.ip.',
  why: 'A limit counts requests by the path of the request, by the authenticated client, or by the address of the client. The API refuses every other value.',
  remedy: 'Write "client.ip", "consumer" or "uri".',
  source: 'specification of the API management rate limit policy, limits.rateLimitBy',
  messages: {
    meant: { text: '"{written}" is not a value of rateLimitBy', remedy: 'Write "{meant}".' },
    unknown: '"{written}" is not a value of rateLimitBy',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: clientIp, zoneSize: 10M }'] }),
    good: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }'] }),
  }),
  check(proxy, { report }) {
    for (const { rateLimitBy } of limitsOf(proxy)) {
      if (typeof rateLimitBy.raw !== 'string' || rateLimitBy.value) continue
      const meant = meantKey(rateLimitBy.raw)
      report(meant === undefined ? 'unknown' : 'meant', rateLimitBy, { written: shorten(rateLimitBy.raw), meant })
    }
  },
})

/** Other words for the same, without signs between their letters. */
const WORDS: Readonly<Record<LimitKey, RegExp>> = {
  'client.ip': /^(?:client|remote|source|src)?(?:ip|addr|address|ipaddress)$/,
  consumer: /^(?:consumerid|clientid|client|apikey|user|userid)$/,
  uri: /^(?:requesturi|path|url)$/,
}

function meantKey(written: string): LimitKey | undefined {
  const letters = written.toLowerCase().replace(/[^a-z]/g, '')
  return LIMIT_KEYS.find((key) => WORDS[key].test(letters)) ?? nearestKey(written)
}

const nearestKey = (written: string): LimitKey | undefined => {
  const near = nearestInAnyCase(written.trim(), LIMIT_KEYS)
  return LIMIT_KEYS.find((key) => key === near)
}
