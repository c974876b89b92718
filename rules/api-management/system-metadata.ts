import { METADATA } from '../../src/api-management/fields.ts'
import { rule } from '../../src/api-management/rule.ts'
import { joinItems, shorten } from '../describe.ts'
import { body } from './body.ts'
import { policiesOf } from './views.ts'

/** A rate limit applies to requests, of a proxy or of an environment. */
export default rule({
  id: 'api-management/system-metadata',
  severity: 'error',
  judges: 'Proxy',
  summary: 'systemMetadata says inbound, and proxy or global.',
  why: 'A limit counts requests as they come in, so it cannot be applied on anything else. The context is proxy for a policy of one API proxy, and global for one of an environment. The API refuses other values.',
  remedy: 'Write { appliedOn: inbound, context: proxy }, or remove systemMetadata: that is the default.',
  source: 'specification of the API management rate limit policy, "Endpoints"',
  messages: {
    value: {
      text: '{field} is {allowed}, but "{written}" here',
      remedy: 'Write "{first}", or remove {field}: that is its default.',
    },
  },
  examples: () => ({
    bad: body({ metadata: '{ appliedOn: outbound, context: proxy }' }),
    good: body({ metadata: '{ appliedOn: inbound, context: proxy }' }),
  }),
  check(proxy, { report }) {
    for (const policy of policiesOf(proxy))
      for (const field of ['appliedOn', 'context'] as const) {
        const { value: written } = policy[field]
        const allowed: readonly string[] = METADATA[field].enum
        if (written === undefined || allowed.includes(written)) continue
        report('value', policy[field], {
          field,
          written: shorten(written),
          first: allowed[0],
          allowed: joinItems(allowed).replace(' and ', ' or '),
        })
      }
  },
})
