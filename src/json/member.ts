/** Members of JSON objects: read without errors, whatever they contain. */

/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [member: string]: Json | undefined }

/**
 * One member of an object: its place, its raw value, and the value that a reader makes of it.
 *
 * - absent: `raw` is undefined (also for `null`, which the API server drops; but see {@link memberOrNull})
 * - valid: `value` is defined
 * - invalid: `raw` is defined and `value` is not
 */
export type Member<Value> = {
  /** JSON Pointer (RFC 6901) from the root of the object; defined for an absent member, too. */
  readonly pointer: string
  readonly raw: Json | undefined
  readonly value: Value | undefined
}

/** Whether a value is an object and not an array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Sets an own member, even one named `__proto__`. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') object[name] = value
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true })
}

/** Reads the member `name` of the object at the pointer `base`; `read` returns undefined for an invalid value. */
export function member<Value>(
  parent: Json | undefined,
  base: string,
  name: string,
  read: (raw: Json) => Value | undefined,
): Member<Value> {
  const found = isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
  const raw = found ?? undefined
  return { pointer: `${base}/${name}`, raw, value: raw === undefined ? undefined : read(raw) }
}

/** As {@link member}, in a format where `null` is a value that is written, as wrong or right as any other: `raw` is null. */
export function memberOrNull<Value>(
  parent: Json | undefined,
  base: string,
  name: string,
  read: (raw: Json) => Value | undefined,
): Member<Value> {
  const raw = isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
  return { pointer: `${base}/${name}`, raw, value: raw === undefined ? undefined : read(raw) }
}

/** Members of one place that are kept; with one more all are forgotten. */
const MAX_MEMBERS = 4096

/** Reads one member of every object that it gets. */
type MemberReader<Value> = (parent: Json | undefined) => Member<Value>

/** Creates a reader of the member `name` at the fixed pointer `base`: it makes the pointer once for all objects. */
export function memberReader<Value>(
  base: string,
  name: string,
  read: (raw: Json) => Value | undefined,
): MemberReader<Value> {
  // Saves asking, for each member, whether it is the object's own.
  if (name in Object.prototype) throw new Error(`every object inherits "${name}"`)
  const pointer = `${base}/${name}`
  const absent: Member<Value> = { pointer, raw: undefined, value: undefined }
  return (parent) => {
    const raw = isObject(parent) ? parent[name] : undefined
    return raw === undefined || raw === null ? absent : { pointer, raw, value: read(raw) }
  }
}

/** As {@link memberReader}; thousands of objects have the same few scalar values there, so their members are shared. */
export function sharedMemberReader<Value>(
  base: string,
  name: string,
  read: (raw: Json) => Value | undefined,
): MemberReader<Value> {
  const make = memberReader(base, name, read)
  const known = new Map<Json, Member<Value>>()
  return (parent) => {
    const raw = isObject(parent) ? parent[name] : undefined
    if (raw === undefined || typeof raw === 'object') return make(parent)
    const shared = known.get(raw)
    if (shared) return shared
    if (known.size >= MAX_MEMBERS) known.clear()
    const member = make(parent)
    known.set(raw, member)
    return member
  }
}

/** The value if it is a string. */
export const asString = (raw: Json): string | undefined => (typeof raw === 'string' ? raw : undefined)
/** The value if it is a boolean. */
export const asBoolean = (raw: Json): boolean | undefined => (typeof raw === 'boolean' ? raw : undefined)
/** The value if it is a number. */
export const asNumber = (raw: Json): number | undefined => (typeof raw === 'number' ? raw : undefined)
/** The value if it is an object and not an array. */
export const asObject = (raw: Json): JsonObject | undefined => (isObject(raw) ? raw : undefined)
/** The value if it is an array. */
export const asList = (raw: Json): readonly Json[] | undefined => (Array.isArray(raw) ? raw : undefined)
