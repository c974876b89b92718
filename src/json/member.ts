/** Members of an object as read: total, lazy to judge, never throwing. */

/** Any value that JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
/** A JSON object. */
export type JsonObject = { readonly [member: string]: Json | undefined }

/**
 * One member of an object: where it is, what stands there, what it means.
 *
 * - absent: `raw` is undefined (a `null` counts as absent, as the API server drops it)
 * - understood: `value` is defined
 * - present without a meaning: `raw` is defined and `value` is not
 */
export type Member<Value> = {
  /** JSON Pointer (RFC 6901) into the object; it also names a member that is absent. */
  readonly pointer: string
  readonly raw: Json | undefined
  readonly value: Value | undefined
}

/** True for an object that is no array. */
export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads a member with a function that gives its meaning or undefined. */
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

/** Members of one place that are remembered at once; beyond it the memory starts anew. */
const MOST_MEMBERS = 4096

/**
 * A reader of one member at a fixed place. Thousands of policies say the same few things there, so members without
 * parts of their own are shared.
 */
export function memberReader<Value>(base: string, name: string, read: (raw: Json) => Value | undefined) {
  const pointer = `${base}/${name}`
  const absent: Member<Value> = { pointer, raw: undefined, value: undefined }
  const known = new Map<Json, Member<Value>>()
  return (parent: Json | undefined): Member<Value> => {
    const raw = isObject(parent) && Object.hasOwn(parent, name) ? parent[name] : undefined
    if (raw === undefined || raw === null) return absent
    if (typeof raw === 'object') return { pointer, raw, value: read(raw) }
    const shared = known.get(raw)
    if (shared) return shared
    if (known.size >= MOST_MEMBERS) known.clear()
    const made = { pointer, raw, value: read(raw) }
    known.set(raw, made)
    return made
  }
}

export const asText = (raw: Json): string | undefined => (typeof raw === 'string' ? raw : undefined)
export const asBoolean = (raw: Json): boolean | undefined => (typeof raw === 'boolean' ? raw : undefined)
export const asNumber = (raw: Json): number | undefined => (typeof raw === 'number' ? raw : undefined)
export const asObject = (raw: Json): JsonObject | undefined => (isObject(raw) ? raw : undefined)
export const asList = (raw: Json): readonly Json[] | undefined => (Array.isArray(raw) ? raw : undefined)
