import { rule } from '../../src/api-management/rule.ts'
import { body } from './body.ts'
import { limitsOf } from './views.ts'

/** Without authentication there is no consumer to count by. */
export default rule({
  id: 'api-management/consumer-without-authentication',
  severity: 'warning',
  judges: 'Proxy',
  summary: 'A limit by consumer stands beside a policy that authenticates clients.',
  why: 'consumer is the id of the authenticated client. Where nothing authenticates clients, nobody has one, and the limit does not count what its author means.',
  remedy: 'Add a policy that authenticates clients, such as "apikey-authn", or limit by client.ip.',
  source: 'specification of the API management rate limit policy, limits.rateLimitBy',
  messages: {
    anonymous: 'this limit counts by consumer, but no policy of this body authenticates clients',
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: consumer, zoneSize: 10M }'] }),
    good: body({
      limits: ['{ rate: 10r/s, rateLimitBy: consumer, zoneSize: 10M }'],
      beside: ['apikey-authn: [{ action: { apiKeyName: x-api-key } }]'],
    }),
  }),
  check(proxy, { report }) {
    if (proxy.sets.some(({ authenticates }) => authenticates)) return
    for (const { rateLimitBy } of limitsOf(proxy))
      if (rateLimitBy.value === 'consumer') report('anonymous', rateLimitBy)
  },
})
