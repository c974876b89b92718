/** Keys that the CRD accepts and that are as nasty as its pattern lets them be. */

import fc from 'fast-check'
import { isKey } from '../../src/limits/key.ts'
import { NAMED_VARIABLES, type NamedVariable, VARIABLE_PREFIXES } from '../../src/nginx/variables.ts'
import { casesOf } from '../support/cases.ts'
import { isBuiltIn, isForeign } from './platform.ts'
import type { NginxProgram } from './real-nginx.ts'

const { cases } = casesOf(import.meta.url)

const word = fc.stringMatching(/^\w{1,6}$/)

/** Names of variables, good ones and others, around those of the table that a test is about. */
function variableNames(isMeant: (variable: NamedVariable) => boolean): fc.Arbitrary<string> {
  const plainName = fc.constantFrom(...NAMED_VARIABLES.filter(isMeant).map(({ name }) => name))
  const prefix = fc.constantFrom(...VARIABLE_PREFIXES.filter(isMeant).map(({ name }) => name))
  return fc.oneof(
    { weight: 5, arbitrary: plainName },
    { weight: 2, arbitrary: fc.tuple(prefix, fc.stringMatching(/^\w{0,4}$/)).map(([head, tail]) => head + tail) },
    { weight: 1, arbitrary: plainName.map((text) => text.toUpperCase()) },
    { weight: 1, arbitrary: fc.tuple(plainName, word).map(([head, tail]) => head + tail) },
    { weight: 1, arbitrary: word },
  )
}
const nasty = fc.constantFrom(...cases<string[]>('nasty'))
const odd = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 3 })
  .map((text) => text.replace(/[ \t\r\n;{}#$]/g, '.'))
const quote = fc.constantFrom('"', "'")

/** Keys of the CRD's language with variables of these names. */
function keysWith(names: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 4, arbitrary: names.map((text) => `$${text}`) },
    { weight: 4, arbitrary: nasty },
    { weight: 2, arbitrary: word },
    { weight: 1, arbitrary: odd },
    { weight: 1, arbitrary: fc.constantFrom('$1', '$9', '$0', '$10', 'k'.repeat(4090), 'é'.repeat(2046)) },
  )
  const mixed = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(''))
  const quoted = fc.tuple(quote, mixed).map(([mark, text]) => mark + text + mark)
  return fc.oneof({ weight: 3, arbitrary: mixed }, { weight: 2, arbitrary: quoted }).filter((key) => isKey(key))
}

/** A key of the CRD's language. */
export const keys: fc.Arbitrary<string> = keysWith(variableNames(({ facts }) => !facts.build && !facts.plus))

/** A key of the CRD's language, with any variable of the table but those of modules that the program lacks. */
export const keysFor = (program: NginxProgram): fc.Arbitrary<string> =>
  keysWith(variableNames(({ name, facts }) => isBuiltIn(program, facts) && !isForeign(program, name)))
