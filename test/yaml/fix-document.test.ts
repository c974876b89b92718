/** The text of fixed documents, against an independent implementation of JSON Patch. */
import fc from 'fast-check'
import { apply_patch as applyPatch } from 'jsonpatch'
import { describe, expect, it } from 'vitest'
import { escapeToken, parentPointer, valueAt } from '../../src/json/pointer.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { type FixOutcome, fixDocument, fixEachAlone, type Patch } from '../../src/yaml/edit/fix-document.ts'
import { holdsFor } from '../support/holds.ts'
import { anchoredYaml, blockYaml, flowYaml, json, withComments, word } from './generate.ts'

const ANY = { mentions: /(?:)/ }
const valuesOf = (text: string): readonly unknown[] => readDocuments(text, ANY).map(({ value }) => value)

/** Fixes the first document of a text. */
function fix(text: string, patches: readonly Patch[]): { text: string; outcomes: readonly FixOutcome[] } {
  const [document] = readDocuments(text, ANY)
  if (!document) throw new Error('the text has no document')
  const { edits, outcomes } = fixDocument({ text, orderOf: () => [] }, document, patches)
  return { text: applyEdits(text, edits), outcomes }
}

/** The edits that apply each operation alone. */
function fixAlone(text: string, operations: readonly Patch[number][]) {
  const [document] = readDocuments(text, ANY)
  if (!document) throw new Error('the text has no document')
  return fixEachAlone(
    { text, orderOf: () => [] },
    document,
    operations.map((operation) => [operation]),
  )
}

type Place = { readonly pointer: string; readonly value: unknown }

/** Every value within a value. */
function placesIn(value: unknown, pointer = ''): readonly Place[] {
  const here = { pointer, value }
  if (typeof value !== 'object' || value === null) return [here]
  const children = Object.entries(value).flatMap(([name, child]) => placesIn(child, `${pointer}/${escapeToken(name)}`))
  return [here, ...children]
}

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null

/** Any operation that applies to a value. */
function operationOn(value: unknown, [at, kind]: readonly [number, number], added: { name: string; value: unknown }) {
  const places = placesIn(value)
  const place = places[at % places.length]
  if (!place) throw new Error('a value is a place')
  if (isScalar(place.value))
    return kind % 4 === 0 && place.pointer !== ''
      ? { op: 'remove' as const, path: place.pointer }
      : { op: 'replace' as const, path: place.pointer, value: added.value }
  if (!Array.isArray(place.value))
    return { op: 'add' as const, path: `${place.pointer}/${escapeToken(added.name)}`, value: added.value }
  const index = kind % 3 === 0 ? '-' : String(kind % (place.value.length + 1))
  return { op: 'add' as const, path: `${place.pointer}/${index}`, value: added.value }
}

/** A text that begins with a brace would be JSON. */
const flow = flowYaml.map((text) => `# flow\n${text}`)

const anchored = anchoredYaml.map((text) => `# anchored\n${text}`)

const written = fc
  .record({
    text: fc.oneof(blockYaml, flow, anchored, json),
    comments: fc.array(fc.nat(), { maxLength: 6 }),
    breaks: fc.constantFrom('\n', '\r\n'),
    mark: fc.constantFrom('', '\uFEFF'),
    rest: fc.constantFrom('', '---\n# next\nkind: other # kept\n'),
  })
  .map(({ text, comments, breaks, mark, rest }) => {
    const values = valuesOf(text)
    const isSame = (other: string) => JSON.stringify(valuesOf(other)) === JSON.stringify(values)
    const commented = withComments(text, isSame, comments)
    const end = commented.endsWith('\n') || commented.startsWith('{') ? '' : '\n'
    const candidates = [mark + commented + end + rest, mark + commented]
    const whole = candidates.find((one) => JSON.stringify(valuesOf(one)[0]) === JSON.stringify(values[0])) ?? text
    const broken = whole.replaceAll('\n', breaks)
    return JSON.stringify(valuesOf(broken)) === JSON.stringify(valuesOf(whole)) ? broken : whole
  })
  .filter((text) => valuesOf(text)[0] !== undefined)

const choice = fc.tuple(fc.nat(), fc.nat())
const addition = fc.record({
  name: word,
  value: fc.oneof(word, fc.integer(), fc.boolean(), fc.array(word, { maxLength: 2 })),
})
const COMMENT = /# (?:after|above|next|kept)(?: \d+)?/g

describe('fixing a document', () => {
  it('gives the value that the patches give, and keeps every comment and every other document', () =>
    holdsFor(1500)(written, fc.array(fc.tuple(choice, addition), { minLength: 1, maxLength: 4 }), (text, wishes) => {
      // The other implementation loses a member of that name.
      fc.pre(![text, ...wishes.map(([, { name }]) => name)].some((one) => one.includes('__proto__')))
      const [value, ...others] = valuesOf(text)
      const operations = wishes.map(([chosen, added]) => operationOn(value, chosen, added))
      const { text: after, outcomes } = fix(
        text,
        operations.map((operation) => [operation]),
      )
      const made = operations.filter((_, index) => outcomes[index] === 'fixed')
      if (made.length === 0) expect(after).toBe(text)
      expect(valuesOf(after)).toEqual([applyPatch(structuredClone(value), made), ...others])
      expect(after.match(COMMENT)).toEqual(text.match(COMMENT))
    }))

  it('finds for each patch alone, though they are looked at together, edits that apply it and nothing else', () =>
    holdsFor(800)(written, fc.array(fc.tuple(choice, addition), { minLength: 1, maxLength: 4 }), (text, wishes) => {
      fc.pre(![text, ...wishes.map(([, { name }]) => name)].some((one) => one.includes('__proto__')))
      const [value, ...others] = valuesOf(text)
      const operations = wishes.map(([chosen, added]) => operationOn(value, chosen, added))
      const all = fixAlone(text, operations)
      for (const [index, operation] of operations.entries()) {
        const edits = all[index]
        const after = edits ? valuesOf(applyEdits(text, edits)) : undefined
        const made = () => [applyPatch(structuredClone(value), [operation]), ...others]
        expect(after).toEqual(fix(text, [[operation]]).outcomes[0] === 'fixed' ? made() : undefined)
      }
    }))

  it('finds nothing for what changes an alias too, whatever another patch makes of that', () => {
    const text = '# anchored\n{a: &one {}, b: *one}\n'
    const operations = ['/a', '/b'].map((path) => ({ op: 'replace', path, value: 'x' }) as const)
    expect(fixAlone(text, operations)[0]).toBeUndefined()
  })

  it('finds a place for every new scalar and for every new member where nothing is shared', () =>
    holdsFor(1000)(fc.oneof(blockYaml, flow, json), choice, addition, (text, chosen, { name, value: added }) => {
      const [value] = valuesOf(text)
      fc.pre(value !== undefined)
      const operation = operationOn(value, chosen, { name, value: added })
      const isItem = Array.isArray(valueAt(value, parentPointer(operation.path)))
      const isNew = isItem || valueAt(value, operation.path) === undefined
      fc.pre(operation.op === 'replace' || (operation.op === 'add' && isNew))
      expect(fix(text, [[operation]]).outcomes).toEqual(['fixed'])
    }))
})
