/** Two versions of a text, put side by side. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ChangedBlock, changedBlocks, changedLines } from '../../src/studio/changed-lines.ts'
import { holds } from '../support/holds.ts'

const textOf = (...lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const blocks = (before: string, after: string) => changedBlocks(changedLines(before, after))

describe('two versions side by side', () => {
  it('puts what was removed beside what was added in its place', () =>
    expect(blocks(textOf('a', 'rate: 10r/s', 'burst: 1', 'z'), textOf('a', 'rate: 20r/s', 'z'))).toEqual([
      { kind: 'same', lines: ['a'] },
      { kind: 'changed', removed: ['rate: 10r/s', 'burst: 1'], added: ['rate: 20r/s'] },
      { kind: 'same', lines: ['z'] },
    ]))

  it('hides long stretches that do not change', () => {
    const same = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const found = blocks(textOf('a', ...same, 'b'), textOf('x', ...same, 'y'))
    expect(found.map(({ kind }) => kind)).toEqual(['changed', 'same', 'hidden', 'same', 'changed'])
    expect(found[2]).toEqual({ kind: 'hidden', count: 14 })
  })

  it('has no block where nothing differs', () => expect(blocks(textOf('a'), textOf('a'))).toEqual([]))

  it('has every line that only one version has, on its side and in order', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', '')).map((lines) => textOf(...lines))
    const removedIn = (found: readonly ChangedBlock[]) =>
      found.flatMap((one) => (one.kind === 'changed' ? one.removed : []))
    const addedIn = (found: readonly ChangedBlock[]) =>
      found.flatMap((one) => (one.kind === 'changed' ? one.added : []))
    holds(text, text, (before, after) => {
      const lines = changedLines(before, after)
      const found = changedBlocks(lines)
      const ofKind = (kind: string) => lines.flatMap((one) => (one.kind === kind && 'text' in one ? [one.text] : []))
      expect(removedIn(found)).toEqual(ofKind('removed'))
      expect(addedIn(found)).toEqual(ofKind('added'))
    })
  })
})
