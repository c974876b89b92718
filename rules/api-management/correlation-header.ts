import { rule } from '../../src/api-management/rule.ts'
import { describeValue, shorten } from '../describe.ts'
import { body } from './body.ts'

/** nginx drops a request header whose name it does not accept, and says nothing. */
export default rule({
  id: 'api-management/correlation-header',
  severity: 'error',
  judges: 'Proxy',
  summary: 'The name of the correlation header has only letters, digits and hyphens.',
  why: 'nginx drops request headers with other characters in their names without a message, so the correlation id of a client never arrives. What is no token in the sense of HTTP is no header at all.',
  remedy: 'Write "x-correlation-id", the default, or another name of letters, digits and hyphens.',
  source:
    'specification of the API management rate limit policy, "Resources and their fields"; nginx, ignore_invalid_headers',
  messages: {
    dropped: {
      text: 'nginx drops the header "{name}" in silence: "{character}" is in its name',
      remedy: 'Write "{meant}".',
    },
    invalid: '"{name}" is not the name of a header',
    type: 'httpHeaderName must be a string, but is {actual}',
  },
  examples: {
    bad: body({ beside: ['request-correlation-id: [{ action: { httpHeaderName: x_request_id } }]'] }),
    good: body({ beside: ['request-correlation-id: [{ action: { httpHeaderName: x-request-id } }]'] }),
  },
  check({ sets }, { report }) {
    for (const header of sets.flatMap(({ correlationHeaders }) => correlationHeaders)) {
      const { raw, value: name } = header
      if (name === undefined) report('type', header, { actual: describeValue(raw) })
      else if (!TOKEN.test(name)) report('invalid', header, { name: shorten(name) })
      else if (!ACCEPTED.test(name)) {
        const character = /[^A-Za-z0-9-]/.exec(name)?.[0]
        report('dropped', header, { name: shorten(name), character, meant: acceptedFor(name) })
      }
    }
  },
})

/** A token of RFC 9110. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const ACCEPTED = /^[A-Za-z0-9-]+$/

const acceptedFor = (name: string): string => {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.length === 0 ? 'x-correlation-id' : words.join('-')
}
