/** Generators of JSON that go from plain to nasty: how often a field is which is the temper of the whole. */
import fc from 'fast-check'
import type { Draft } from '../rules/policies.ts'

/** Weights of values that are good, of those that only nginx may reject, and of those that the API server rejects. */
export type Temper = { readonly plain: number; readonly tricky: number; readonly wrong: number }

/** What can stand in a field; undefined leaves it out. */
export type Values = fc.Arbitrary<Draft | undefined>
export type Field = (temper: Temper) => Values

/** Values of any type; no field takes them all. */
const otherType: Values = fc.constantFrom<(Draft | undefined)[]>(
  undefined,
  null,
  '',
  'x',
  7,
  true,
  [],
  {},
  [null],
  [{}],
)

/** A field by its values. */
export const field =
  (plain: Values, tricky: Values, wrong: Values): Field =>
  (temper) =>
    fc.oneof(
      { weight: temper.plain, arbitrary: plain },
      { weight: temper.tricky, arbitrary: tricky },
      { weight: temper.wrong, arbitrary: fc.oneof(wrong, otherType) },
    )

/** An object by its fields; where something is wrong, sometimes with a field more or of another type. */
export function object(fields: Readonly<Record<string, Field>>): Field {
  const member = fc.constantFrom('brust', 'namespace', 'sectionName', 'Rate', 'a/b~c', 'targetRefs')
  return (temper) => {
    const good = fc
      .record(Object.fromEntries(Object.entries(fields).map(([name, values]) => [name, values(temper)])))
      .map(withoutAbsent)
    const more = fc.tuple(good, member).map(([object, name]): Draft => ({ ...object, [name]: 'x' }))
    return fc.oneof(
      { weight: 4 * temper.plain, arbitrary: good },
      { weight: temper.wrong, arbitrary: fc.oneof(more, more, more, otherType) },
    )
  }
}

type Members = { [name: string]: Draft }

const withoutAbsent = (values: { readonly [name: string]: Draft | undefined }): Members =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]): [string, Draft][] => (value === undefined ? [] : [[name, value]])),
  )

/** A list of items, an absent one being null. */
export const list =
  (item: Field, length: { readonly minLength: number; readonly maxLength: number }): Field =>
  (temper) =>
    fc.array(
      item(temper).map((value) => value ?? null),
      length,
    )

/** One of some texts, which `|` parts. */
export const oneOf = (texts: string): fc.Arbitrary<string> => fc.constantFrom(...texts.split('|'))

/** One of some values, undefined among them where the field may be absent. */
export const either = (...values: readonly (Draft | undefined)[]): Values => fc.constantFrom(...values)

/** As it is, or absent in either of two ways. */
export const maybe = (values: Values): Values => fc.oneof(values, values, fc.constantFrom(undefined, null))
