/** The mesh's configuration as one document: that of a new mesh, and what is wrong with another one. */
import { type Fields, meantField } from '../json/fields.ts'
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { escapeToken, fieldPath, parentPointer, pointerTokens, valueAt } from '../json/pointer.ts'
import { isSameValue } from '../json/same.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { COPIES, type ConfigField, configFields } from './config-fields.ts'
import { CONTRADICTIONS } from './contradictions.ts'

/** Something wrong with a configuration. */
export type ConfigFault = {
  /** JSON Pointer in the configuration. */
  readonly pointer: string
  /** As messages name it: `injection.enabledNamespaces[2]`. */
  readonly field: string
  readonly reason: string
}

/** The fields of the configuration by their pointers, and the members that each of its objects may have. */
export type ConfigShape = {
  readonly fields: ReadonlyMap<string, ConfigField>
  readonly objects: Fields
}

/** The shape of a configuration. */
export function configShape(names: ApiNames): ConfigShape {
  const fields = new Map(configFields(names).map((field) => [field.pointer, field]))
  const objects: Record<string, string[]> = {}
  for (const pointer of fields.keys())
    for (let at = pointer; at !== ''; at = parentPointer(at)) {
      const members = objects[parentPointer(at)] ?? []
      const name = at.slice(at.lastIndexOf('/') + 1)
      objects[parentPointer(at)] = members.includes(name) ? members : [...members, name]
    }
  return { fields, objects }
}

/** The configuration of a new mesh. */
export function initialConfig(names: ApiNames): JsonObject {
  let config: JsonObject = { telemetry: {}, tracing: {} }
  for (const { pointer, initial } of configFields(names))
    if (initial !== undefined) config = withValue(config, pointer, initial)
  return config
}

/** A copy with another value at a pointer; without one the member is removed, and with it objects within others that it leaves empty. */
export const withValue = (object: JsonObject, pointer: string, value: Json | undefined): JsonObject =>
  withValueAt(object, pointerTokens(pointer), value)

function withValueAt(object: JsonObject, [name = '', ...rest]: readonly string[], value: Json | undefined): JsonObject {
  if (rest.length === 0) return withMember(object, name, value)
  const inner = object[name]
  const changed = withValueAt(isObject(inner) ? inner : {}, rest, value)
  for (const [below, one] of Object.entries(changed))
    if (value === undefined && isObject(one) && Object.keys(one).length === 0)
      return withMember(object, name, withMember(changed, below, undefined))
  return withMember(object, name, changed)
}

function withMember(object: JsonObject, name: string, value: Json | undefined): JsonObject {
  if (value !== undefined) return { ...object, [name]: value }
  const { [name]: _, ...others } = object
  return others
}

/** The name by which messages call an unknown field's neighbour: `; did you mean "mtls.mode"?`, or what there is. */
export function unknownField({ objects }: ConfigShape, parent: string, name: string, present: JsonObject): string {
  const known = objects[parent] ?? []
  // Of all names that a client sends only known ones matter: a set of all, for each, would be quadratic.
  const taken = new Set(known.filter((one) => Object.hasOwn(present, one)))
  const meant = meantField(objects, { parent, name, present: taken })
  if (meant) return `unknown field; did you mean "${fieldPath(`${meant.home}/${meant.field}`)}"?`
  return `unknown field; known are ${known.join(', ')}`
}

/** What is wrong with the type of a field's value; the pointer is below the field's for an item of a list. */
export function typeFaults({ pointer, type }: ConfigField, value: Json): readonly ConfigFault[] {
  if (!type.isList)
    return type.accepts(value) ? [] : [faultAt(pointer, expected(type.expected, value) + quotesFor(type, value))]
  if (!Array.isArray(value)) return [faultAt(pointer, expected('a list of strings', value))]
  return value.flatMap((item: Json, index) =>
    type.accepts(item) ? [] : [faultAt(`${pointer}/${index}`, expected(type.expected, item))],
  )
}

/** YAML reads the bare word off as false. */
const quotesFor = (type: ConfigField['type'], value: Json): string =>
  value === false && type.accepts('off') ? '; in YAML, write "off" with quotes' : ''

const LONGEST_VALUE = 60

/** `expected true or false, got "yes"`. */
export function expected(noun: string, value: unknown): string {
  const shown = Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : JSON.stringify(value)
  return `expected ${noun}, got ${shown.length > LONGEST_VALUE ? `${shown.slice(0, LONGEST_VALUE)}…` : shown}`
}

/** A fault at a pointer. */
const faultAt = (pointer: string, reason: string): ConfigFault => ({
  pointer,
  field: fieldPath(pointer),
  reason,
})

/** Everything that is wrong with a stored configuration; of a part of one only what is wrong with each field. Never throws. */
export function configFaults(
  config: unknown,
  names: ApiNames,
  { isPart = false }: { readonly isPart?: boolean } = {},
): readonly ConfigFault[] {
  if (!isObject(config)) return [faultAt('', 'expected an object')]
  const shape = configShape(names)
  const faults = [...objectFaults(config, '', shape)]
  if (isPart) return faults
  for (const [pointer, { initial }] of shape.fields)
    if (initial !== undefined && !COPIES.has(pointer) && valueAt(config, pointer) === undefined)
      faults.push(faultAt(pointer, 'is missing'))
  for (const [copy, original] of COPIES) {
    const [first, second] = [jsonAt(config, copy), jsonAt(config, original)]
    if (first !== undefined && second !== undefined && !isSameValue(first, second))
      faults.push(faultAt(copy, `differs from ${fieldPath(original)}, of which it is a copy`))
  }
  const read = (pointer: string) => jsonAt(config, pointer)
  const contradictions = CONTRADICTIONS.filter(({ holds }) => holds(read))
  return [...faults, ...contradictions.map(({ pointer, reason }) => faultAt(pointer, reason))]
}

function objectFaults(object: JsonObject, base: string, shape: ConfigShape): readonly ConfigFault[] {
  return Object.entries(object).flatMap(([name, value]): readonly ConfigFault[] => {
    const pointer = `${base}/${escapeToken(name)}`
    const field = shape.fields.get(pointer)
    if (value === undefined) return []
    if (field) return typeFaults(field, value)
    if (!shape.objects[pointer]) return [faultAt(pointer, unknownField(shape, base, name, object))]
    return isObject(value) ? objectFaults(value, pointer, shape) : [faultAt(pointer, expected('an object', value))]
  })
}

/** The value of a field of a configuration that consists of JSON; undefined where there is none. */
export function jsonAt(config: JsonObject, pointer: string): Json | undefined {
  let value: Json | undefined = config
  for (const token of pointerTokens(pointer))
    value = isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined
  return value
}
