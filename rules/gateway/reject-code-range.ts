import { rule } from '../../src/gateway/rule.ts'
import { manifest } from './manifest.ts'

/** limit_req_status accepts only the status codes of errors. */
export default rule({
  id: 'gateway/reject-code-range',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'rejectCode is a status code from 400 to 599.',
  why: 'nginx answers a rejected request with an error, so it accepts only the status codes 400 to 599. The API server refuses any other number.',
  remedy: 'Write "rejectCode: 429" (Too Many Requests), or remove rejectCode to use the default of 503.',
  source: 'specification of RateLimitPolicy, rejectCode; nginx, limit_req_status',
  messages: {
    outside: 'rejectCode must be between 400 and 599, but is {code}',
  },
  cel: {
    cases: [
      {
        message: 'outside',
        at: 'spec.rateLimit.rejectCode',
        when: `[policy.rateLimit.?rejectCode.orValue(null)].exists(code,
    (type(code) == int || type(code) == double && (code > 9e15 || code < -9e15 || double(int(code)) == code))
    && (code < 400 || code > 599))`,
        values: { code: 'string(policy.rateLimit.rejectCode)' },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ settings: ['rejectCode: 302'] }),
    good: manifest({ settings: ['rejectCode: 429'] }),
  }),
  check({ rejectCode }, { report }) {
    const { value: code } = rejectCode
    if (code !== undefined && Number.isInteger(code) && (code < 400 || code > 599))
      report('outside', rejectCode, { code })
  },
})
