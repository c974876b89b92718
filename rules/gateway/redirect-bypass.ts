import { onlyRedirects } from '../../src/gateway/routing/matches.ts'
import { routeTargets } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { manifest, route } from './manifest.ts'

const filter = (type: string): string => `rules: [{ filters: [{ type: ${type} }] }]`

/** nginx answers a redirect before it checks its limits. */
export default rule({
  id: 'gateway/redirect-bypass',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['routes'],
  summary: 'A targeted route has a rule that does not redirect.',
  why: 'A redirect becomes the nginx directive "return", which answers before limit_req runs. A route whose rules all redirect is never limited.',
  remedy: 'Target the route to which this route redirects.',
  source: 'nginx, return and limit_req (order of phases)',
  messages: {
    redirects: {
      text: 'every rule of {kind} "{name}" redirects, so its requests are never limited',
      remedy: 'Target the route to which {kind} "{name}" redirects.',
    },
  },
  examples: () => ({
    bad: manifest({ beside: [route('coffee', filter('RequestRedirect'))] }),
    good: manifest({ beside: [route('coffee', filter('RequestHeaderModifier'))] }),
  }),
  check(policy, { routes, report }) {
    if (policy.limits.length === 0) return
    for (const { target, kind, name, route } of routeTargets(policy, { routes }))
      if (onlyRedirects(route)) report('redirects', target.name, { kind, name })
  },
})
