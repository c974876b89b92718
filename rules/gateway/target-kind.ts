import { IS_TARGET_KIND, shortened } from '../../src/gateway/cel/policy.ts'
import { TARGET_KINDS } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { shorten } from '../describe.ts'
import { manifest, target } from './manifest.ts'

/** Existing kinds: none of them is a misspelt target kind. */
const OTHER_KINDS = ['TCPRoute', 'TLSRoute', 'UDPRoute', 'GatewayClass', 'Ingress', 'Service']

/** A policy limits HTTP requests, so it targets the objects that route them. */
export default rule({
  id: 'gateway/target-kind',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy targets Gateways, HTTPRoutes or GRPCRoutes.',
  why: 'nginx limits requests where it routes HTTP: in the http context of a Gateway or in the locations of a route. The API server refuses every other kind, and upper and lower case matter.',
  remedy: 'Target a Gateway, an HTTPRoute or a GRPCRoute, all of the group gateway.networking.k8s.io.',
  source: 'specification of RateLimitPolicy, targetRefs[].kind',
  messages: {
    misspelt: { text: '"{kind}" is not a valid target kind', remedy: 'Write "kind: {meant}".' },
    other: '"{kind}" is not a valid target kind',
    stream: {
      text: 'a policy cannot target a {kind}: it routes connections, not HTTP requests',
      remedy: 'Target the HTTPRoute or GRPCRoute of this traffic, if there is one.',
    },
    service: {
      text: 'a policy cannot target a {kind}',
      remedy: 'Target the HTTPRoute or GRPCRoute that leads to this {kind}.',
    },
  },
  cel: {
    each: 'target',
    of: 'policy.targets',
    cases: [
      {
        message: 'stream',
        at: 'kind',
        when: "has(target.kind) && target.kind in ['TCPRoute', 'TLSRoute', 'UDPRoute']",
        values: { kind: 'target.kind' },
      },
      {
        message: 'service',
        at: 'kind',
        when: "has(target.kind) && target.kind == 'Service'",
        values: { kind: 'target.kind' },
      },
      {
        message: 'other',
        at: 'kind',
        when: `has(target.kind) && !(${IS_TARGET_KIND})`,
        values: { kind: shortened('target.kind') },
      },
    ],
  },
  examples: () => ({
    bad: manifest({ targets: [target('Service', 'coffee')] }),
    good: manifest({ targets: [target('HTTPRoute', 'coffee')] }),
  }),
  check({ targets }, { report }) {
    for (const { kind } of targets) {
      if (typeof kind.raw !== 'string' || kind.value) continue
      const meant = OTHER_KINDS.includes(kind.raw) ? undefined : nearestInAnyCase(kind.raw, TARGET_KINDS)
      const data = { kind: shorten(kind.raw), meant }
      if (meant !== undefined) report('misspelt', kind, data)
      else if (/^(?:TCP|TLS|UDP)Route$/.test(kind.raw)) report('stream', kind, data)
      else report(kind.raw === 'Service' ? 'service' : 'other', kind, data)
    }
  },
})
