import { rule } from '../../src/api-management/rule.ts'
import { mayBeMisspelt } from '../../src/api-management/shape.ts'
import { isObject } from '../../src/json/member.ts'
import { describeValue } from '../describe.ts'
import { body } from './body.ts'
import { policiesOf } from './views.ts'

/** A policy without limits limits nothing. */
export default rule({
  id: 'api-management/limits',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate limit policy has a list of limits with at least one item.',
  why: 'A policy consists of its limits. The API refuses a body in which a policy has none.',
  remedy: 'Add a limit, such as { rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M }, or remove the policy.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"',
  messages: {
    missing: 'action has no limits',
    empty: 'limits is empty: this policy limits nothing',
    type: { text: 'limits must be a list, but is {actual}', remedy: 'Write a list of limits.' },
    single: {
      text: 'limits must be a list, but is a single object',
      remedy: 'Make it a list with one item: put it in "[" and "]".',
    },
  },
  examples: () => ({
    bad: body({ limits: [] }),
    good: body({}),
  }),
  check(proxy, { report }) {
    for (const { action, limitList } of policiesOf(proxy)) {
      const { raw, value, pointer } = limitList
      if (!action.value || (raw === undefined && mayBeMisspelt(proxy, pointer))) continue
      if (raw === undefined) report('missing', limitList)
      else if (!value) report(isObject(raw) ? 'single' : 'type', limitList, { actual: describeValue(raw) })
      else if (value.length === 0) report('empty', limitList)
    }
  },
})
