/** What to do about a value of the wrong type, or one that is missing: the concrete text where it can be known. */

import type { SchemaType } from '../../src/gateway/schema/validate.mjs'
import { fieldsAt, type Violation } from '../../src/gateway/schema/violations.ts'

/** What a type is called. */
export const TYPE_NAMES: Readonly<Record<SchemaType, string>> = {
  object: 'an object',
  array: 'a list',
  string: 'a text',
  integer: 'a whole number',
  boolean: 'true or false',
}

/** A good value of each field, as YAML writes it. */
const EXAMPLES: Readonly<Record<string, string>> = {
  group: 'group: gateway.networking.k8s.io',
  kind: 'kind: HTTPRoute',
  name: 'name: my-route',
  logLevel: 'logLevel: warn',
  rejectCode: 'rejectCode: 429',
  rate: 'rate: 10r/s',
  key: 'key: $binary_remote_addr',
  zoneSize: 'zoneSize: 10m',
  burst: 'burst: 20',
  delay: 'delay: 5',
}

const TRUE = /^(?:true|yes|on|y|1)$/i
const FALSE = /^(?:false|no|off|n|0)$/i

/** What to do about a member that is missing. */
export const addRemedy = ({ pointer }: Violation): string =>
  pointer === '/spec' ? 'Add it, with targetRefs and rateLimit.' : `Add it, for example ${exampleOf(pointer)}.`

/** What to do about a value of the wrong type. */
export function typeRemedy(violation: Violation): string {
  const { pointer, actual, type } = violation
  const name = lastToken(pointer)
  if (type === 'boolean') return booleanRemedy(name, String(actual))
  if (type === 'integer') return integerRemedy(pointer, name, actual)
  if (type === 'array') return typeof actual === 'object' ? 'Put "- " before it to make it a list.' : 'Write a list.'
  if (type === 'object') return objectRemedy(violation)
  return textRemedy(violation, name)
}

function booleanRemedy(name: string, written: string): string {
  const meant = TRUE.test(written) ? 'true' : FALSE.test(written) ? 'false' : undefined
  if (meant === undefined) return `Write ${name}: true or ${name}: false.`
  return written === meant ? `Remove the quotes: ${name}: ${meant}.` : `Write ${name}: ${meant}.`
}

function integerRemedy(pointer: string, name: string, actual: Violation['actual']): string {
  return typeof actual === 'string' && /^\d{1,9}$/.test(actual)
    ? `Remove the quotes: ${name}: ${Number(actual)}.`
    : `Write a whole number without quotes, for example ${exampleOf(pointer)}.`
}

function objectRemedy({ pointer, actual }: Violation): string {
  if (actual === null) return 'Remove the empty item.'
  const [first, ...others] = fieldsAt(pointer)
  if (first === undefined) return 'Write names with their values.'
  if (Array.isArray(actual) && actual.length === 1) return 'Remove the "- " before its first field.'
  const fields = others.length > 0 ? `${first}, ${others.join(', ')}` : first
  return `Write an object with the fields it can have: ${fields}.`
}

/** Fields whose text is free: there the quotes alone are missing. */
const FREE_TEXT = /^\/metadata\/(?:labels|annotations)\/|\/(?:name|key)$/

function textRemedy({ pointer, actual }: Violation, name: string): string {
  const isScalar = typeof actual === 'number' || typeof actual === 'boolean'
  if (FREE_TEXT.test(pointer)) return isScalar ? 'Put it in quotes.' : 'Write one text, not several.'
  if (name === 'rate' && typeof actual === 'number' && Number.isSafeInteger(actual) && actual > 0)
    return `Write it with its unit: rate: ${actual}r/s or rate: ${actual}r/m.`
  return `Write ${name === 'zoneSize' && isScalar ? 'it with a unit' : 'a text'}, for example ${exampleOf(pointer)}.`
}

const lastToken = (pointer: string): string => pointer.slice(pointer.lastIndexOf('/') + 1)
const exampleOf = (pointer: string): string => EXAMPLES[lastToken(pointer)] ?? lastToken(pointer)
