/** JSON values that know where each of their parts was written. They are never changed: every change makes a new value. */
import { isObject, type Json, type JsonObject, setMember } from '../json/member.ts'
import { escapeToken, pointerTokens, tokenIndex } from '../json/pointer.ts'
import type { TextDocument } from '../yaml/documents.ts'

/** A text with manifests, a patch or a kustomization. `file` is its path, with forward slashes. */
export type TextFile = { readonly file: string; readonly text: string }

/** A document in which values are written. */
export type Part = {
  /** For an inline patch the text is that of the patch. */
  readonly source: TextFile
  readonly document: TextDocument
  /** Where the text of an inline patch stands: a string in a kustomization. */
  readonly inline?: Place
}

/** Where a value is written: JSON Pointer in a document. */
export type Place = { readonly part: Part; readonly pointer: string }

/** A value and where it was written. */
export type Traced = {
  readonly value: Json
  readonly at: Place
  /** Members and items that are not written within `at`, by name or index. */
  readonly parts?: ReadonlyMap<string, Traced>
  /** The scalar whose quotes this one takes over: kustomize keeps the style of what a patch replaces. */
  readonly style?: Place
}

/** The value of a whole document. */
export const tracedDocument = (part: Part, value: Json): Traced => ({ value, at: { part, pointer: '' } })

/** The place of a member or item that is written within a place. */
const within = ({ part, pointer }: Place, token: string): Place => ({
  part,
  pointer: `${pointer}/${escapeToken(token)}`,
})

/** A member of an object; undefined where there is none, or the value is no object. */
export function memberOf(traced: Traced, name: string): Traced | undefined {
  const { value, at, parts } = traced
  const moved = parts?.get(name)
  if (moved) return moved
  if (!isObject(value) || !Object.hasOwn(value, name)) return undefined
  return { value: value[name] ?? null, at: within(at, name) }
}

/** The names of an object's members; none where the value is no object. */
export const namesOf = ({ value }: Traced): readonly string[] => (isObject(value) ? Object.keys(value) : [])

/** The items of a list; undefined where the value is none. */
export function itemsOf({ value, at, parts }: Traced): readonly Traced[] | undefined {
  if (!isList(value)) return undefined
  return value.map((item, index) => parts?.get(String(index)) ?? { value: item, at: within(at, String(index)) })
}

/** `Array.isArray` does not narrow a readonly array. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The object with one member set. */
export function withMember(object: Traced, name: string, member: Traced): Traced {
  const copy: Record<string, Json | undefined> = { ...(isObject(object.value) ? object.value : {}) }
  setMember(copy, name, member.value)
  return { ...object, value: copy, parts: new Map(object.parts).set(name, member) }
}

/** The object without one member. */
export function withoutMember(object: Traced, name: string): Traced {
  const copy: Record<string, Json | undefined> = { ...(isObject(object.value) ? object.value : {}) }
  delete copy[name]
  const parts = new Map(object.parts)
  parts.delete(name)
  return { ...object, value: copy, parts }
}

/** A list of items, each of which keeps its own place. */
export const withItems = (list: Traced, items: readonly Traced[]): Traced => ({
  ...list,
  value: items.map(({ value }) => value),
  parts: new Map(items.map((item, index) => [String(index), item])),
})

/** A value that is not written as such, and comes from a place. */
export const madeAt = (value: Json, at: Place): Traced => ({
  value,
  at,
  ...(isScalar(value) ? {} : { parts: NO_PARTS }),
})

const NO_PARTS: ReadonlyMap<string, Traced> = new Map()

export const isScalar = (value: Json): value is string | number | boolean | null =>
  typeof value !== 'object' || value === null

/** What a pointer leads to; undefined where nothing is there. */
function tracedAt(root: Traced, pointer: string): Traced | undefined {
  let at: Traced | undefined = root
  for (const token of pointerTokens(pointer)) {
    const index = tokenIndex(token)
    at = at && (isList(at.value) ? (index === undefined ? undefined : itemsOf(at)?.[index]) : memberOf(at, token))
  }
  return at
}

/**
 * Where a value is written. What is not there has the place that it would have in its nearest present parent.
 */
export function placeOf(root: Traced, pointer: string): Place {
  let at = root
  let place: Place | undefined
  for (const token of pointerTokens(pointer)) {
    const next: Traced | undefined = place ? undefined : tracedAt(at, `/${escapeToken(token)}`)
    if (next) at = next
    else place = within(place ?? at.at, token)
  }
  return place ?? at.at
}

/** A traced object's value. */
export const objectOf = ({ value }: Traced): JsonObject => (isObject(value) ? value : {})

/** The string at a path of members; undefined where there is none. */
export function stringAt(root: Traced, ...path: readonly string[]): string | undefined {
  let at: Json | undefined = root.value
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined
  return typeof at === 'string' ? at : undefined
}

/** A mapping whose values are texts. */
export function textsOf(map: Traced): Traced {
  let texts = map
  for (const name of namesOf(map)) {
    const member = memberOf(map, name)
    if (member && typeof member.value !== 'string')
      texts = withMember(texts, name, { ...member, value: JSON.stringify(member.value) })
  }
  return texts
}
