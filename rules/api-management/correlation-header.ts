import { headerProblem, LONGEST_HEADER } from '../../src/api-management/correlation-header.ts'
import { rule } from '../../src/api-management/rule.ts'
import { describeValue, shorten } from '../describe.ts'
import { body } from './body.ts'

/** nginx drops a request header whose name it does not accept, and says nothing. */
export default rule({
  id: 'api-management/correlation-header',
  severity: 'error',
  judges: 'Proxy',
  summary: 'The correlation header is one of its own, and its name has only letters, digits and hyphens.',
  why: 'nginx drops request headers with other characters in their names without a message, so the correlation id of a client never arrives. What is no token in the sense of HTTP is no header at all. Headers such as Host and Content-Length have a meaning, and nginx or HTTP sets them: an id in them would break requests and responses.',
  remedy: 'Write "x-correlation-id", the default, or another name of letters, digits and hyphens.',
  source:
    'specification of the API management rate limit policy, "Resources and their fields"; nginx, ignore_invalid_headers',
  messages: {
    dropped: {
      text: 'nginx drops the header "{name}" in silence: "{character}" is in its name',
      remedy: 'Write "{meant}".',
    },
    invalid: '"{name}" is not the name of a header',
    long: {
      text: 'the name of the correlation header has {length} characters, and at most {longest} are possible',
      remedy: 'Write "x-correlation-id".',
    },
    reserved: {
      text: '"{name}" cannot have the correlation id, as nginx or HTTP sets this header itself: another name is needed',
      remedy: 'Write "x-correlation-id".',
    },
    type: 'httpHeaderName must be a string, but is {actual}',
  },
  examples: () => ({
    bad: body({ beside: ['request-correlation-id: [{ action: { httpHeaderName: x_request_id } }]'] }),
    good: body({ beside: ['request-correlation-id: [{ action: { httpHeaderName: x-request-id } }]'] }),
  }),
  check({ sets }, { report }) {
    for (const header of sets.flatMap(({ correlationHeaders }) => correlationHeaders)) {
      const { raw, value: name } = header
      const problem = name === undefined ? undefined : headerProblem(name)
      if (name === undefined) report('type', header, { actual: describeValue(raw) })
      else if (problem === 'dropped') {
        const character = /[^A-Za-z0-9-]/.exec(name)?.[0]
        report('dropped', header, { name: shorten(name), character, meant: acceptedFor(name) })
      } else if (problem === 'long') report('long', header, { length: name.length, longest: LONGEST_HEADER })
      else if (problem) report(problem, header, { name: shorten(name) })
    }
  },
})

const acceptedFor = (name: string): string => {
  const meant = name
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
  return headerProblem(meant) === undefined ? meant : 'x-correlation-id'
}
