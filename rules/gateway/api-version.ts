import { meantApiVersion } from '../../src/gateway/recognise.ts'
import { rule } from '../../src/gateway/rule.ts'
import { isMisspelt } from '../../src/gateway/schema/violations.ts'
import { describeValue, shorten } from '../describe.ts'
import { manifest } from './manifest.ts'

const good = manifest({})

const CORRECT = 'Write "apiVersion: {meant}".'

const KIND = 'RateLimitPolicy'

/** The API server finds the type of an object by apiVersion and kind. */
export default rule({
  id: 'gateway/api-version',
  severity: 'error',
  judges: ['RateLimitPolicy', 'UnknownVersion'],
  reads: ['names'],
  fix: 'safe',
  summary: 'A RateLimitPolicy has this kind and the apiVersion gateway.nginx.org/v1alpha1.',
  why: 'No other group or version has a RateLimitPolicy. The API server refuses the object, and nothing is limited.',
  remedy: 'Write "apiVersion: gateway.nginx.org/v1alpha1".',
  source: 'specification of RateLimitPolicy, "Versioning"',
  messages: {
    missing: { text: 'apiVersion is missing', remedy: CORRECT },
    wrong: { text: 'apiVersion must be {meant}, but is {actual}', remedy: CORRECT },
    'no-kind': { text: 'kind is missing', remedy: 'Write "kind: {meant}".' },
    kind: { text: 'kind must be {meant}, but is {actual}', remedy: 'Write "kind: {meant}".' },
    unknown: {
      text: 'cannot check apiVersion {actual}: only {meant} is supported',
      severity: 'warning',
      remedy: 'Write "apiVersion: {meant}", or upgrade to a release of sluice that supports {actual}.',
    },
  },
  cel: 'the API server finds an object by its kind and apiVersion: another one is no RateLimitPolicy to it',
  examples: () => ({
    bad: good.replace('gateway.nginx.org', 'gateway.nginx.com'),
    good,
  }),
  check(policy, { names, report }) {
    const { apiVersion, kind } = policy
    const meant = names.policyApiVersion
    const isKnown = apiVersion.value === meant || meantApiVersion(apiVersion.value ?? '', names) !== undefined
    if (kind.raw === undefined) {
      // Of another version no field is judged.
      if (!isKnown || !isMisspelt(policy, kind.pointer))
        report('no-kind', kind, { meant: KIND }, [{ op: 'add', path: kind.pointer, value: KIND }])
    } else if (kind.raw !== KIND)
      report('kind', kind, { actual: kind.value ? shorten(kind.value) : describeValue(kind.raw), meant: KIND }, [
        { op: 'replace', path: kind.pointer, value: KIND },
      ])
    if (apiVersion.value === meant || isMisspelt(policy, apiVersion.pointer)) return
    const data = { actual: apiVersion.value || describeValue(apiVersion.raw), meant }
    const patch = { path: apiVersion.pointer, value: meant }
    if (apiVersion.raw === undefined) report('missing', apiVersion, data, [{ op: 'add', ...patch }])
    else if (isKnown) report('wrong', apiVersion, data, [{ op: 'replace', ...patch }])
    else report('unknown', apiVersion, data)
  },
})
