/** JSON values that know where each of their parts was written. They are never changed: every change makes a new value. */
import { isObject, type Json, type JsonObject, setMember } from '../json/member.ts'
import { escapeToken, pointerTokens, tokenIndex } from '../json/pointer.ts'
import type { TextDocument } from '../yaml/documents.ts'
import type { Span } from '../yaml/scan.ts'

/** A text with manifests, a patch or a kustomization. `file` is its path, with forward slashes. */
export type TextFile = {
  readonly file: string
  readonly text: string
  /** Its documents as kustomize reads them, the same each time. */
  readonly documents: () => readonly TextDocument[]
}

/** A document in which values are written. */
export type Part = {
  /** For an inline patch the text is that of the patch. */
  readonly source: TextFile
  readonly document: TextDocument
  /** Where the text of an inline patch stands: a string in a kustomization. */
  readonly inline?: Place
}

/** Where a value is written: JSON Pointer in a document; for what cannot be read, its range in the text. */
export type Place = { readonly part: Part; readonly pointer: string; readonly range?: Span }

/** A value and where it was written. */
export type Traced = {
  readonly value: Json
  readonly at: Place
  /** Members and items that are not written within `at`, by name or index. */
  readonly parts?: ReadonlyMap<string, Traced>
  /** The scalar whose quotes this one takes over: kustomize keeps the style of what a patch replaces. */
  readonly style?: Place | 'plain'
  /** The text of a scalar that a replacement has created: it has no type until kustomize writes the object or merges it. */
  readonly untyped?: string
  /** True for a text that was a number or a boolean in a patch, and has the quotes of what it replaces. */
  readonly isRequoted?: boolean
}

/** The value without scalars that have no type: each is replaced by what `retype` makes of it. */
export function withTypes(traced: Traced, retype: (scalar: Traced, text: string) => Traced): Traced {
  const { untyped, parts } = traced
  if (untyped !== undefined) return retype(traced, untyped)
  if (!parts) return traced
  let changed = traced
  for (const [name, part] of parts) {
    const typed = withTypes(part, retype)
    if (typed === part) continue
    const items = itemsOf(changed)
    changed = items ? withItems(changed, items.with(Number(name), typed)) : withMember(changed, name, typed)
  }
  return changed
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

/** An item of a list; undefined where there is none. */
export function itemAt({ value, at, parts }: Traced, index: number): Traced | undefined {
  const item = isList(value) ? value[index] : undefined
  return parts?.get(String(index)) ?? (item === undefined ? undefined : { value: item, at: within(at, String(index)) })
}

/** `Array.isArray` does not narrow a readonly array. */
export const isList = (value: Json | undefined): value is readonly Json[] => Array.isArray(value)

/** The object with one member set. */
export const withMember = (object: Traced, name: string, member: Traced): Traced =>
  withMembers(object, new Map([[name, member]]))

/** The object with members set: copied once for all of them. */
export function withMembers(object: Traced, members: ReadonlyMap<string, Traced>): Traced {
  const draft = draftObject(object)
  for (const [name, member] of members) draft.set(name, member)
  return draft.traced
}

/** The object without one member. */
export function withoutMember(object: Traced, name: string): Traced {
  const draft = draftObject(object)
  draft.remove(name)
  return draft.traced
}

/** A copy of an object or a list, for whoever changes a great many of its parts before others see it. */
export type Draft<Key> = { readonly traced: Traced; set(key: Key, part: Traced): void; remove(key: Key): void }

/** A copy of an object, to change its members. */
export function draftObject(object: Traced): Draft<string> {
  const value: Record<string, Json | undefined> = { ...(isObject(object.value) ? object.value : {}) }
  const parts = new Map(object.parts)
  return {
    traced: { ...object, value, parts },
    set(name, member) {
      setMember(value, name, member.value)
      parts.set(name, member)
    },
    remove(name) {
      delete value[name]
      parts.delete(name)
    },
  }
}

/** A copy of a list, to change its items. */
export function draftList(list: Traced): Draft<number> & { insert(index: number, item: Traced): void } {
  const items = [...(itemsOf(list) ?? [])]
  const value = items.map((item) => item.value)
  const parts = new Map(list.parts)
  const moveFrom = (index: number): void => {
    for (const [offset, item] of items.slice(index).entries()) parts.set(String(index + offset), item)
    parts.delete(String(items.length))
  }
  return {
    traced: { ...list, value, parts },
    set(index, item) {
      items[index] = item
      value[index] = item.value
      parts.set(String(index), item)
    },
    insert(index, item) {
      items.splice(index, 0, item)
      value.splice(index, 0, item.value)
      moveFrom(index)
    },
    remove(index) {
      items.splice(index, 1)
      value.splice(index, 1)
      moveFrom(index)
    },
  }
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
export function tracedAt(root: Traced, pointer: string): Traced | undefined {
  let at: Traced | undefined = root
  for (const token of pointerTokens(pointer)) {
    const index = tokenIndex(token)
    at = at && (isList(at.value) ? (index === undefined ? undefined : itemAt(at, index)) : memberOf(at, token))
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
  const texts = new Map<string, Traced>()
  for (const name of namesOf(map)) {
    const member = memberOf(map, name)
    if (member && typeof member.value !== 'string') texts.set(name, { ...member, value: JSON.stringify(member.value) })
  }
  return texts.size === 0 ? map : withMembers(map, texts)
}
