/** What is kept in a tab, with a storage as browsers have it. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { forgetAll, keep, keptIn } from '../../src/studio/kept.ts'
import { draftFor, dropDraft, keepDraft } from '../../src/studio/playground/state.ts'

/** Characters that fit into it. */
const ROOM = 1_000

beforeEach(() => {
  const items = new Map<string, string>()
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem(name: string, text: string) {
      if (text.length > ROOM) throw new DOMException('it is full', 'QuotaExceededError')
      items.set(name, text)
    },
    removeItem: (name: string) => items.delete(name),
    clear: () => items.clear(),
  })
})

afterEach(() => {
  forgetAll()
  vi.unstubAllGlobals()
})

test('a value is kept, replaced and forgotten', () => {
  expect(keptIn('a')).toBeUndefined()
  expect(keep('a', { x: 1 })).toBe(true)
  expect(keptIn('a')).toEqual({ x: 1 })
  keep('a', undefined)
  expect(keptIn('a')).toBeUndefined()
  keep('a', 1)
  forgetAll()
  expect(keptIn('a')).toBeUndefined()
})

test('what has no room is there until the page is left, and no older one comes back in its place', () => {
  keep('a', 'old')
  const large = 'x'.repeat(ROOM)
  expect(keep('a', large)).toBe(false)
  expect(keptIn('a')).toBe(large)
  expect(sessionStorage.getItem('a')).toBeNull()
  expect(keep('a', 'small')).toBe(true)
  expect(keptIn('a')).toBe('small')
  keep('a', large)
  forgetAll()
  expect(keptIn('a')).toBeUndefined()
})

test('what something else has written is not read', () => {
  sessionStorage.setItem('a', '{')
  expect(keptIn('a')).toBeUndefined()
  for (const value of [1, null, [], { link: '', file: '' }, { link: '', file: '', state: { files: [] } }]) {
    keep('playground', value)
    expect(draftFor('')).toBeUndefined()
  }
})

test('the playground has what was changed, but for another link than it began with', () => {
  const draft = { link: '1.abc', file: 'a.yaml', state: { files: [{ file: 'a.yaml', text: 'kind: X' }] } }
  expect(keepDraft(draft)).toBe(true)
  expect(draftFor('1.abc')).toEqual(draft)
  expect(draftFor('')).toEqual(draft)
  expect(draftFor('1.def')).toBeUndefined()
  dropDraft()
  expect(draftFor('')).toBeUndefined()
})
