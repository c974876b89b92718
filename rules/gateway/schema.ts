import { rule } from '../../src/gateway/rule.ts'
import { violations } from '../../src/gateway/schema/violations.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { manifest } from './manifest.ts'
import { ownerOf } from './owners.ts'
import { addRemedy, TYPE_NAMES, typeRemedy } from './schema-remedies.ts'
import { describe } from './words.ts'

/** The API server refuses what does not meet the CRD's schema; this says what no other rule knows better. */
export default rule({
  id: 'gateway/schema',
  severity: 'error',
  judges: 'RateLimitPolicy',
  summary: 'A policy has the fields and types that its CRD asks for.',
  why: 'The API server refuses the whole object, so none of its limits reaches NGINX. YAML decides by the quotes whether a value is a text or a number, and the schema does not convert one into the other.',
  remedy: 'Write the field as the schema asks for it.',
  source: 'specification of RateLimitPolicy, "Resources and their fields"',
  messages: {
    missing: { text: '{field} is missing', remedy: '{todo}' },
    type: { text: '{field} must be {expected}, but is {actual}', remedy: '{todo}' },
    empty: { text: '{field} is empty', remedy: 'Write the name of the Gateway or route.' },
    long: {
      text: '{field} has {length} characters, and {bound} is the most',
      remedy: 'Shorten it: no object has a name that long.',
    },
    other: '{field} is {actual}, which the schema of the CRD refuses',
  },
  examples: {
    bad: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: "5" }'] }),
    good: manifest({ limits: ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m, burst: 5 }'] }),
  },
  check(policy, { report }) {
    for (const violation of violations(policy)) {
      if (ownerOf(violation)) continue
      const { pointer, keyword, actual, type, bound } = violation
      const field = fieldPath(pointer)
      if (keyword === 'required') report('missing', pointer, { field, todo: addRemedy(violation) })
      else if (type)
        report('type', pointer, {
          field,
          expected: TYPE_NAMES[type],
          actual: describe(actual),
          todo: typeRemedy(violation),
        })
      else if (keyword === 'minLength') report('empty', pointer, { field })
      else if (keyword === 'maxLength') report('long', pointer, { field, length: [...String(actual)].length, bound })
      else report('other', pointer, { field, actual: describe(actual) })
    }
  },
})
