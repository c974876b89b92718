import type { AnyField, Field } from '../../src/api-management/fields.ts'
import { rule } from '../../src/api-management/rule.ts'
import { fieldsAt, violations } from '../../src/api-management/shape.ts'
import { isObject, type Json } from '../../src/json/member.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { describeValue } from '../describe.ts'
import { body, LIMIT } from './body.ts'

/** Fields whose own rules report a wrong type, too. */
const OWNED = /\/action\/(?:limits|returnCode)$/

type TypedField = Exclude<Field, AnyField>

const TYPE_NAMES: Readonly<Record<TypedField['type'], string>> = {
  object: 'an object',
  list: 'a list',
  string: 'a string',
  integer: 'a number',
  boolean: 'true or false',
}

/** Reports fields and types that the API refuses, unless another rule reports them more precisely. */
export default rule({
  id: 'api-management/schema',
  severity: 'error',
  judges: 'Proxy',
  summary: 'A rate limit policy has the fields and types that its specification requires.',
  why: 'The API refuses the whole body, so none of its limits is deployed. It does not convert a string into a number or a list, and null is not the same as an absent field.',
  remedy: 'Write the field as the specification requires.',
  source: 'specification of the API management rate limit policy, "Resources and their fields"',
  messages: {
    missing: { text: '{field} is missing', remedy: 'Add action with its limits.' },
    type: { text: '{field} must be {expected}, but is {actual}', remedy: '{remedy}' },
  },
  examples: () => ({
    bad: body({ limits: ['{ rate: 10r/s, rateLimitBy: client.ip, zoneSize: 10M, throttle: { burst: "5" } }'] }),
    good: body({ limits: [LIMIT] }),
  }),
  check(proxy, { report }) {
    for (const violation of violations(proxy)) {
      const { problem, pointer, actual } = violation
      if (problem === 'unknown' || OWNED.test(pointer)) continue
      const field = fieldPath(pointer)
      if (problem === 'missing') report('missing', pointer, { field })
      else
        report('type', pointer, {
          field,
          expected: TYPE_NAMES[violation.field.type],
          actual: describeValue(actual),
          remedy: remedyOf(pointer, violation.field, actual),
        })
    }
  },
})

function remedyOf(pointer: string, field: TypedField, actual: Json | undefined): string {
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  const { type } = field
  if (type === 'list') return listRemedy(actual)
  if (type === 'object') return objectRemedy(pointer, actual)
  if (type === 'integer' && typeof actual === 'string' && /^[1-9]\d{0,8}$/.test(actual))
    return `Write "${name}: ${actual}".`
  if (type === 'boolean' && (actual === 'true' || actual === 'false')) return `Write "${name}: ${actual}".`
  const example = type === 'boolean' ? true : (field.default ?? field.examples[0])
  return `Write "${name}: ${example}", for example.`
}

/** The one list of which another rule does not report the type: the policies. */
function listRemedy(actual: Json | undefined): string {
  if (isObject(actual)) return 'Make it a list with one item: put it in "[" and "]".'
  return actual === null ? 'Leave it out, or write "[]".' : 'Write a list of policies, or leave it out.'
}

function objectRemedy(pointer: string, actual: Json | undefined): string {
  if (Array.isArray(actual) && actual.length === 1 && isObject(actual[0])) return 'Write the item without its list.'
  const object = `an object; its fields are ${fieldsAt(pointer).join(', ')}.`
  if (actual !== null || pointer.endsWith('/action')) return `Write ${object}`
  return /\/\d+$/.test(pointer) ? `Remove the item, or write ${object}` : `Leave it out, or write ${object}`
}
