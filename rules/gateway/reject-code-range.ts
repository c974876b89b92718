import { rule } from '../../src/gateway/rule.ts'
import { manifest } from './manifest.ts'

/** `limit_req_status` takes the statuses of errors only. */
export default rule({
  id: 'gateway/reject-code-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'Rejected requests get a status from 400 to 599.',
  why: 'NGINX answers a rejected request with an error, so it takes statuses from 400 to 599 here. The API server refuses any other number.',
  remedy: 'Write rejectCode: 429 (too many requests), or 503, which is what an absent rejectCode means.',
  source: 'specification of RateLimitPolicy, rejectCode; nginx, limit_req_status',
  messages: { outside: 'rejectCode {code} is not between 400 and 599' },
  examples: {
    bad: manifest({ settings: ['rejectCode: 302'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  },
  check({ rejectCode }, { report }) {
    const { value: code } = rejectCode
    if (code !== undefined && Number.isInteger(code) && (code < 400 || code > 599))
      report('outside', rejectCode, { code })
  },
})
