/** The members that the objects of a schema can have, and which of them the author of an unknown one meant. */
import { nearestInAnyCase } from '../text/nearest.ts'
import { withOrdinarySpaces } from '../text/space.ts'

/** The members of each object that allows no others, by its pattern: a JSON Pointer with `*` for every index. */
export type Fields = Readonly<Record<string, readonly string[]>>

/** The field that the author of an unknown field meant. */
export type Meant = {
  /** Pattern of the object that has the field. */
  readonly home: string
  readonly field: string
}

/** The pattern of a pointer. */
export const toPattern = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

/** The fields that the object at a pointer can have, or none where any field is allowed. */
export const fieldsOf = (fields: Fields, pointer: string): readonly string[] => fields[toPattern(pointer)] ?? []

/**
 * The field that the author of an unknown field certainly meant, or undefined. A name that is known in another object
 * is in the wrong place; any other name is a misspelt field that the object (`present`) does not have yet. A field that it
 * has, in other letters, is there twice.
 */
export function meantField(
  fields: Fields,
  { parent, name: written, present }: { parent: string; name: string; present: ReadonlySet<string> },
): Meant | undefined {
  const name = withoutUnusualSpaces(written)
  const here = toPattern(parent)
  const homes = Object.keys(fields).filter((pattern) => pattern !== here && fields[pattern]?.includes(name))
  const home = homes.find((pattern) => isChild(pattern, here)) ?? (homes.length === 1 ? homes[0] : undefined)
  if (home !== undefined) return { home, field: name }
  const own = fieldsOf(fields, parent)
  const isDouble = own.some((field) => present.has(field) && field.toLowerCase() === name.toLowerCase())
  const candidates = isDouble ? [] : own.filter((field) => !present.has(field))
  const field = nearestInAnyCase(name, candidates)
  return field === undefined ? undefined : { home: here, field }
}

/** The name before spaces that YAML takes for a part of it, as in `rate:\u00A010r/s`. */
const withoutUnusualSpaces = (written: string): string => {
  const name = withOrdinarySpaces(written)
  return name === written ? written : name.trim().replace(/:\s.*$/s, '')
}

const isChild = (pattern: string, parent: string): boolean =>
  pattern.startsWith(`${parent}/`) && !pattern.includes('/', parent.length + 1)
