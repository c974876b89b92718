/** Keys that the CRD accepts and that are as nasty as its pattern lets them be. */
import fc from 'fast-check'
import { parseKey } from '../../src/limits/key.ts'
import { NAMED_VARIABLES, VARIABLE_PREFIXES } from '../../src/nginx/variables.ts'

const word = fc.stringMatching(/^\w{1,6}$/)
const plainName = fc.constantFrom(
  ...NAMED_VARIABLES.filter(({ facts }) => !facts.build && !facts.plus).map(({ name }) => name),
)
const prefix = fc.constantFrom(...VARIABLE_PREFIXES.filter(({ facts }) => !facts.plus).map(({ name }) => name))
const name = fc.oneof(
  { weight: 5, arbitrary: plainName },
  { weight: 2, arbitrary: fc.tuple(prefix, fc.stringMatching(/^\w{0,4}$/)).map(([head, tail]) => head + tail) },
  { weight: 1, arbitrary: plainName.map((text) => text.toUpperCase()) },
  { weight: 1, arbitrary: fc.tuple(plainName, word).map(([head, tail]) => head + tail) },
  { weight: 1, arbitrary: word },
)
const nasty = fc.constantFrom(
  '"',
  "'",
  '\\',
  '\\\\',
  '\\"',
  "\\'",
  '\\n',
  '""',
  "''",
  '(',
  ')',
  '=',
  ':',
  '-',
  '_',
  '~',
  '\v',
)
const odd = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 3 })
  .map((text) => text.replace(/[ \t\r\n;{}#$]/g, '.'))
const piece = fc.oneof(
  { weight: 4, arbitrary: name.map((text) => `$${text}`) },
  { weight: 4, arbitrary: nasty },
  { weight: 2, arbitrary: word },
  { weight: 1, arbitrary: odd },
  { weight: 1, arbitrary: fc.constantFrom('$1', '$9', '$0', '$10', 'k'.repeat(4090), 'é'.repeat(2046)) },
)
const mixed = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
const quote = fc.constantFrom('"', "'")

/** A key of the CRD's language. */
export const keys: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 3, arbitrary: mixed },
    { weight: 2, arbitrary: fc.tuple(quote, mixed).map(([mark, text]) => mark + text + mark) },
  )
  .filter((key) => parseKey(key).ok)
