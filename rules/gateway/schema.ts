import { rule } from '../../src/gateway/rule.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { describeValue } from '../describe.ts'
import { manifest } from './manifest.ts'
import { addRemedy, TYPE_NAMES, typeRemedy, violationsOf } from './schema-violations.ts'

/** Reports what violates the schema of the CRD, unless another rule reports it more precisely. */
export default rule({
  id: 'gateway/schema',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has the fields and types that its CRD requires.',
  why: 'The API server refuses the whole object, so none of its limits reaches nginx. In YAML, quotes decide whether a value is a string or a number, and the API server does not convert one into the other.',
  remedy: 'Write the field as the CRD requires.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    missing: { text: '{field} is missing', remedy: '{remedy}' },
    type: { text: '{field} must be {expected}, but is {actual}', remedy: '{remedy}' },
    empty: { text: '{field} is empty', remedy: 'Write the name of the Gateway or route.' },
    long: {
      text: '{field} has {length} characters, but at most {bound} are allowed',
      remedy: 'Correct the name: no object has a name this long.',
    },
  },
  cel: 'the API server refuses what the schema of the CRD does not allow, before it asks any policy',
  examples: () => ({
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: "5" }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: 5 }'] }),
  }),
  check(policy, { report }) {
    for (const violation of violationsOf(policy, undefined)) {
      const { pointer, keyword, actual, type, bound } = violation
      const field = fieldPath(pointer)
      if (keyword === 'required') report('missing', pointer, { field, remedy: addRemedy(violation) })
      else if (type)
        report('type', pointer, {
          field,
          expected: TYPE_NAMES[type],
          actual: describeValue(actual),
          remedy: typeRemedy(violation),
        })
      else if (keyword === 'minLength') report('empty', pointer, { field })
      else report('long', pointer, { field, length: [...String(actual)].length, bound })
    }
  },
})
