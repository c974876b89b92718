/**
 * Arbitrary values of a shape, which stands in a table of cases: JSON with these in it. `$any: [shapes]` is one of them,
 * `$some: [shapes]` a part of them in their order, `$list: shape` a list, `$text: shape` such a list as one text, `$map:
 * shape` an object whose names are of the shape `names`, `$integer` and `$real` a number from `min` to `max`; options of
 * fast-check, such as `maxLength`, stand beside them. A regular expression is a text that it matches, and a member `name?`
 * may be absent.
 */
import fc from 'fast-check'
import type { Json } from '../../src/json/member.ts'

type Options = { readonly [option: string]: unknown }

const all = (shapes: unknown): fc.Arbitrary<unknown>[] => (Array.isArray(shapes) ? shapes.map(build) : [])

const BUILDERS: Readonly<Record<string, (of: unknown, options: Options) => fc.Arbitrary<unknown>>> = {
  $any: (of) => fc.oneof(...all(of)),
  $some: (of, options) => fc.subarray(all(of), options).chain((some) => fc.tuple(...some)),
  $list: (of, options) => fc.array(build(of), options),
  $text: (of, options) =>
    (Array.isArray(of) ? build(of) : fc.array(build(of), options)).map((parts) => Array.from(Object(parts)).join('')),
  $map: (of, { names, ...options }) => fc.dictionary(build(names) as fc.Arbitrary<string>, build(of), options),
  $integer: (of) => fc.integer(Object(of)),
  $real: (of) => fc.double({ noNaN: true, ...Object(of) }),
}

function build(shape: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(shape)) return fc.tuple(...all(shape))
  if (shape instanceof RegExp) return fc.stringMatching(shape)
  if (typeof shape !== 'object' || shape === null) return fc.constant(shape)
  const entries = Object.entries(shape)
  const [[builder, of] = [''], ...options] = entries
  if (builder.startsWith('$')) {
    const make = BUILDERS[builder]
    if (!make) throw new Error(`there is no ${builder}`)
    return make(of, Object.fromEntries(options))
  }
  const members = Object.fromEntries(entries.map(([name, one]) => [name.replace(/\?$/, ''), build(one)]))
  const requiredKeys = entries.flatMap(([name]) => (name.endsWith('?') ? [] : [name]))
  return fc.record<Options>(members, { requiredKeys, noNullPrototype: true })
}

/** Values of a shape. That they are of the type is for the caller to say. */
export const valuesOf = <Value = Json>(shape: unknown): fc.Arbitrary<Value> => build(shape) as fc.Arbitrary<Value>
