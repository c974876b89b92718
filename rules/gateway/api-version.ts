import { rule } from '../../src/gateway/rule.ts'
import { meantApiVersion } from '../../src/gateway/objects/api-version.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { manifest } from './manifest.ts'
import { describe } from './words.ts'

const good = manifest({})

/** With another group the API server does not know the kind, and nobody reads the policy. */
export default rule({
  id: 'gateway/api-version',
  severity: 'error',
  judges: ['RateLimitPolicy', 'UnknownVersion'],
  reads: ['names'],
  fix: 'safe',
  summary: 'A RateLimitPolicy is of gateway.nginx.org/v1alpha1.',
  why: 'The apiVersion decides who reads the object. With a group or version that has no RateLimitPolicy the API server refuses it, and nothing is limited.',
  remedy: 'Write apiVersion: {meant}.',
  source: 'specification of RateLimitPolicy, "Versioning"',
  messages: {
    missing: 'apiVersion is missing',
    wrong: 'apiVersion is {actual}, but a RateLimitPolicy is of {meant}',
    unknown: {
      text: 'this RateLimitPolicy is not judged: {meant} is the only version known here, and this is {actual}',
      severity: 'warning',
      remedy: 'Write apiVersion: {meant}, or use a release that knows the other version.',
    },
  },
  examples: {
    bad: good.replace('gateway.nginx.org', 'gateway.nginx.com'),
    good,
  },
  check(policy, { names, report }) {
    const { apiVersion } = policy
    const meant = names.policyApiVersion
    if (apiVersion.value === meant || isMisspelt(policy, apiVersion.pointer)) return
    const data = { actual: apiVersion.value ?? describe(apiVersion.raw), meant }
    const patch = { path: apiVersion.pointer, value: meant }
    if (apiVersion.raw === undefined) report('missing', apiVersion, data, [{ op: 'add', ...patch }])
    else if (apiVersion.value === undefined || meantApiVersion(apiVersion.value, names) !== undefined)
      report('wrong', apiVersion, data, [{ op: 'replace', ...patch }])
    else report('unknown', apiVersion, data)
  },
})
