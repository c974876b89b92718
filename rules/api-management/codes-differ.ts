import { codeOf } from '../../src/api-management/applied.ts'
import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { body } from './body.ts'

/** One location has one limit_req_status. */
export default rule({
  id: 'api-management/codes-differ',
  severity: 'error',
  judges: 'Proxy',
  summary: 'All rate limit policies of a proxy have the same returnCode.',
  why: 'All policies of a proxy apply to the same location, and nginx has one limit_req_status for it. A rejected request cannot be answered by the code of the policy that rejected it.',
  remedy: 'Write the same returnCode into every policy.',
  source: 'nginx, limit_req_status',
  messages: {
    differ: {
      text: 'returnCode is {code}, but {first} in the first policy: one proxy rejects with one code',
      remedy: 'Write "returnCode: {first}", or change the others.',
    },
    default: {
      text: 'returnCode is not set, so 429 applies, but it is {first} in the first policy: one proxy rejects with one code',
      remedy: 'Add "returnCode: {first}", or change the others.',
    },
  },
  examples: () => ({
    bad: body({
      others: ['{ action: { returnCode: 503, limits: [{ rate: 99r/s, rateLimitBy: uri, zoneSize: 1M }] } }'],
    }),
    good: body({
      others: ['{ action: { returnCode: 429, limits: [{ rate: 99r/s, rateLimitBy: uri, zoneSize: 1M }] } }'],
    }),
  }),
  check(proxy, { report }) {
    for (const { policies } of proxy.sets) {
      const known = policies.filter(
        ({ action, returnCode }) =>
          action.value && (returnCode.raw !== undefined || !mayBeMisspelt(proxy, returnCode.pointer)),
      )
      const first = known.map(codeOf).find((code) => code !== undefined)
      for (const policy of known) {
        const code = codeOf(policy)
        if (first === undefined || code === undefined || code === first) continue
        report(policy.returnCode.raw === undefined ? 'default' : 'differ', policy.returnCode, { code, first })
      }
    }
  },
})
