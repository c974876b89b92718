import { rule } from '../../src/gateway/rule.ts'
import { TARGET_KINDS } from '../../src/gateway/objects/policy.ts'
import { nearestInAnyCase } from '../../src/text/nearest.ts'
import { manifest, target } from './manifest.ts'
import { shorten } from './words.ts'

/** Kinds that people do have: none of them is a misspelt one of ours. */
const OTHER_KINDS = ['TCPRoute', 'TLSRoute', 'UDPRoute', 'GatewayClass', 'Ingress', 'Service']

/** A policy limits HTTP requests: it targets what routes them. */
export default rule({
  id: 'gateway/target-kind',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy targets Gateways, HTTPRoutes or GRPCRoutes.',
  why: 'Requests are limited where NGINX routes HTTP: at the server of a Gateway or at the locations of a route. The API server refuses every other kind, and tells upper from lower case.',
  remedy: 'Target a Gateway, an HTTPRoute or a GRPCRoute.',
  source: 'specification of RateLimitPolicy, targetRefs[].kind',
  messages: {
    misspelt: { text: '"{kind}" is no kind that a policy can target', remedy: 'Write kind: {meant}.' },
    other: 'a policy cannot target the kind "{kind}"',
    stream: {
      text: 'a policy cannot target a {kind}: its connections carry no requests that NGINX could count',
      remedy: 'Target the HTTPRoute or GRPCRoute of this traffic, where there is one.',
    },
    service: {
      text: 'a policy cannot target a {kind}',
      remedy: 'Target the HTTPRoute or GRPCRoute that leads to it.',
    },
  },
  examples: {
    bad: manifest({ targets: [target('Service', 'coffee')] }),
    good: manifest({ targets: [target('HTTPRoute', 'coffee')] }),
  },
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
