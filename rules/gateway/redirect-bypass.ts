import { rule } from '../../src/engine/rule.ts'
import { onlyRedirects } from '../../src/gateway/routing/matches.ts'
import { routeTargets } from '../../src/gateway/routing/targets.ts'
import { manifest, route } from './manifest.ts'

const filter = (type: string): string => `rules: [{ filters: [{ type: ${type} }] }]`

/** nginx answers a redirect before it comes to its limits. */
export default rule({
  id: 'gateway/redirect-bypass',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['routes'],
  summary: 'A targeted route does more than redirect.',
  why: 'A redirect is written as nginx\'s "return", which answers before limit_req is looked at. A route of which every rule redirects is never limited.',
  remedy: 'Target the route to which {kind} "{name}" redirects.',
  source: 'nginx, return and limit_req (order of phases)',
  messages: {
    redirects: 'every rule of {kind} "{name}" redirects: its requests are answered before any limit is looked at',
  },
  examples: {
    bad: manifest({ beside: [route('coffee', filter('RequestRedirect'))] }),
    good: manifest({ beside: [route('coffee', filter('RequestHeaderModifier'))] }),
  },
  check(policy, { routes, report }) {
    if (policy.limits.length === 0) return
    for (const { target, kind, name, route } of routeTargets(policy, { routes }))
      if (onlyRedirects(route)) report('redirects', target.name, { kind, name })
  },
})
