import { rule } from '../../src/api-management/rule.ts'
import { isSameValue } from '../../src/json/same.ts'
import { body } from './body.ts'

/** A body has its policies in one place. */
export default rule({
  id: 'api-management/policies-twice',
  severity: 'error',
  judges: 'Proxy',
  summary: 'policies and proxyConfig.policies are not both there with different content.',
  why: 'The API accepts the policies of a body in either place and stores them as proxyConfig.policies. It refuses a body with both where they differ, as it cannot know which of them is meant.',
  remedy: 'Keep the policies in one place, proxyConfig.policies, and remove the others.',
  source: 'specification of the API management rate limit policy, "Endpoints"',
  messages: {
    differ: 'policies differs from proxyConfig.policies: only one of them can apply',
  },
  examples: () => ({
    bad: body({ top: ['policies: { basic-authn: [] }'] }),
    good: body({}),
  }),
  check({ sets: [outer, inner] }, { report }) {
    if (outer && inner && !isSameValue(outer.raw, inner.raw)) report('differ', outer.pointer)
  },
})
