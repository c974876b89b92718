/** The fields of a policy, and which of them a field that nobody knows was meant to be. */
import { nearestInAnyCase } from '../../text/nearest.ts'
import { FIELDS } from './validate.mjs'

/** A pointer of which every index is `*`: the key by which {@link FIELDS} knows an object. */
export const toPattern = (pointer: string): string => pointer.replace(/\/\d+(?=\/|$)/g, '/*')

/** What an unknown field can have been meant to be. */
export type Meant = {
  /** Pattern of the object that knows the field. */
  readonly home: string
  readonly field: string
}

/** The fields of the object at a pointer, or none where any may stand. */
export const fieldsAt = (pointer: string): readonly string[] => FIELDS[toPattern(pointer)] ?? []

/**
 * The field that an unknown one was certainly meant to be, or undefined.
 * A name that is known elsewhere is in the wrong place; any other one is a misspelt field that `present` has not got.
 */
export function meantField(parent: string, name: string, present: ReadonlySet<string>): Meant | undefined {
  const here = toPattern(parent)
  const homes = Object.keys(FIELDS).filter((pattern) => pattern !== here && FIELDS[pattern]?.includes(name))
  const home = homes.find((pattern) => isChild(pattern, here)) ?? (homes.length === 1 ? homes[0] : undefined)
  if (home !== undefined) return { home, field: name }
  const candidates = fieldsAt(parent).filter((field) => !present.has(field))
  const field = nearestInAnyCase(name, candidates)
  return field === undefined ? undefined : { home: here, field }
}

const isChild = (pattern: string, parent: string): boolean =>
  pattern.startsWith(`${parent}/`) && !pattern.includes('/', parent.length + 1)
