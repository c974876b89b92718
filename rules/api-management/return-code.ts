import { isWithin } from '../../src/api-management/applied.ts'
import { ACTION } from '../../src/api-management/fields.ts'
import { rule } from '../../src/api-management/rule.ts'
import { describeValue } from '../describe.ts'
import { body } from './body.ts'
import { policiesOf } from './views.ts'

/** limit_req_status accepts only the status codes of errors. */
export default rule({
  id: 'api-management/return-code',
  severity: 'error',
  judges: 'Proxy',
  summary: 'returnCode is a status code from 400 to 599.',
  why: 'nginx answers a rejected request with an error, so it accepts only the status codes 400 to 599. The API refuses a body with anything else, null included.',
  remedy: 'Write "returnCode: 429", the default.',
  source: 'specification of the API management rate limit policy, returnCode; nginx, limit_req_status',
  messages: {
    outside: 'returnCode must be between {least} and {most}, but is {code}',
    type: 'returnCode must be a whole number, but is {actual}',
  },
  examples: () => ({
    bad: body({ action: ['returnCode: 302'] }),
    good: body({ action: ['returnCode: 429'] }),
  }),
  check(proxy, { report }) {
    for (const { returnCode } of policiesOf(proxy)) {
      const { raw, value: code } = returnCode
      if (raw === undefined || (code !== undefined && isWithin(ACTION.returnCode, code))) continue
      if (code === undefined || !Number.isInteger(code)) report('type', returnCode, { actual: describeValue(raw) })
      else report('outside', returnCode, { code, least: ACTION.returnCode.minimum, most: ACTION.returnCode.maximum })
    }
  },
})
