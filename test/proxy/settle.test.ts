/** Which parts are to blame, whatever nginx says and however they depend on each other. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changedParts, type Forms, withParts } from '../../src/proxy/configuration.ts'
import { type Attempt, settle } from '../../src/proxy/settle.ts'
import { runs } from '../runs.ts'

const formsOf = (names: readonly string[], form: string): Forms => new Map(names.map((name) => [name, form]))
const numbered = (count: number): readonly string[] => Array.from({ length: count }, (_, index) => `p${index}`)

/** A judge of forms, and how often it was asked. `reason` returns why forms are refused, and whom it names. */
function asking(reason: (forms: Forms) => { readonly words: string; readonly part?: string } | undefined) {
  const seen = { attempts: 0, last: undefined as Forms | undefined }
  const attempt: Attempt = async (forms, parts) => {
    seen.attempts += 1
    const { words, part } = reason(forms) ?? {}
    if (words === undefined) {
      seen.last = forms
      return { accepted: true }
    }
    const isNamed = part !== undefined && parts.has(part)
    return { accepted: false, words, blamed: isNamed ? { part, among: [part] } : { among: [] } }
  }
  return { seen, attempt }
}

const world = fc
  .record({
    count: fc.integer({ min: 1, max: 120 }),
    bad: fc.array(fc.nat(119), { maxLength: 12 }),
    named: fc.array(fc.nat(119), { maxLength: 12 }),
    pairs: fc.array(fc.tuple(fc.nat(119), fc.nat(119)), { maxLength: 3 }),
    suspects: fc.array(fc.nat(119), { maxLength: 20 }),
  })
  .map(({ count, ...lists }) => {
    const names = (numbers: readonly number[]) =>
      new Set<string>(numbers.filter((one) => one < count).map((one) => `p${one}`))
    const pairs = lists.pairs.filter(([one, other]) => one !== other && one < count && other < count)
    return {
      count,
      bad: names(lists.bad),
      named: names(lists.named),
      pairs: pairs.map(([one, other]) => [`p${one}`, `p${other}`]),
      suspects: names(lists.suspects),
    }
  })

test('exactly the bad parts keep their old form, and of two that exclude each other one does', async () => {
  const property = fc.asyncProperty(world, async ({ count, bad, named, pairs, suspects }) => {
    const parts = numbered(count)
    const isNew = (forms: Forms, part: string) => forms.get(part) === 'new'
    const { seen, attempt } = asking((forms) => {
      const first = parts.find((part) => bad.has(part) && isNew(forms, part))
      if (first !== undefined) return { words: `bad ${first}`, ...(named.has(first) ? { part: first } : {}) }
      return pairs.some((pair) => pair.every((part) => isNew(forms, part))) ? { words: 'both' } : undefined
    })
    const [base, wanted] = [formsOf(parts, 'old'), formsOf(parts, 'new')]
    const settled = await settle({ base, wanted, suspects, attempt })
    if (!settled.forms) throw new Error('the base is accepted')
    const refused = new Set(settled.refused.keys())
    expect(settled.forms).toEqual(
      withParts(
        base,
        wanted,
        parts.filter((part) => !refused.has(part)),
      ),
    )
    for (const part of bad) expect(refused).toContain(part)
    for (const part of refused) expect(bad.has(part) || pairs.some((pair) => pair.includes(part))).toBe(true)
    for (const pair of pairs.filter((one) => one.every((part) => !bad.has(part)))) {
      const out = pair.filter((part) => refused.has(part))
      if (pairs.length === 1) expect(out.length).toBe(1)
      else expect(out.length).toBeGreaterThan(0)
    }
    // What is in force is what was accepted, and not something that nobody has tried.
    expect(seen.last).toEqual(settled.forms)
    const unnamed = refused.size
    expect(seen.attempts).toBeLessThanOrEqual(refused.size + 1 + 2 * unnamed * Math.ceil(Math.log2(count + 1)) + 3)
  })
  await fc.assert(property, runs(500))
})

test('a part that is named although it is not the cause is put back', async () => {
  const parts = numbered(64)
  const { seen, attempt } = asking((forms) => (forms.get('p40') === 'new' ? { words: 'no', part: 'p3' } : undefined))
  const settled = await settle({ base: new Map(), wanted: formsOf(parts, 'new'), suspects: new Set(), attempt })
  expect(settled).toMatchObject({ refused: new Map([['p40', { words: 'no', by: 'search' }]]) })
  expect(settled.forms).toEqual(
    formsOf(
      parts.filter((part) => part !== 'p40'),
      'new',
    ),
  )
  expect(seen.attempts).toBeLessThanOrEqual(2 + 2 * 6 + 3)
})

test('a part that is named during the search is not searched', async () => {
  const { attempt } = asking((forms) =>
    forms.get('p40') === 'new'
      ? { words: 'no' }
      : forms.get('p50') === 'new'
        ? { words: 'p50 is bad', part: 'p50' }
        : undefined,
  )
  const wanted = formsOf(numbered(64), 'new')
  const { refused } = {
    refused: undefined,
    ...(await settle({ base: new Map(), wanted, suspects: new Set(), attempt })),
  }
  expect(refused).toEqual(
    new Map([
      ['p40', { words: 'no', by: 'search' }],
      ['p50', { words: 'p50 is bad', by: 'words' }],
    ]),
  )
})

test('a part that is refused beside another, and alone by its name, leaves that one and those after it', async () => {
  const { attempt } = asking((forms) => {
    if (!forms.has('p0')) return undefined
    return forms.has('p2') ? { words: 'both' } : { words: 'p0 is bad', part: 'p0' }
  })
  const wanted = formsOf(numbered(4), 'new')
  const settled = await settle({ base: new Map(), wanted, suspects: new Set(), attempt })
  expect(settled).toMatchObject({ refused: new Map([['p0', { words: 'p0 is bad', by: 'words' }]]) })
})

test('where not even the base is accepted no part is to blame', async () => {
  const { seen, attempt } = asking(() => ({ words: 'the frame' }))
  const settled = await settle({ base: new Map(), wanted: formsOf(numbered(500), 'new'), suspects: new Set(), attempt })
  expect(settled).toEqual({ words: 'the frame', port: false })
  expect(seen.attempts).toBe(2)
})

test('parts that are the same are neither tried nor blamed', () => {
  const old = new Map([
    ['same', '1'],
    ['changed', '1'],
    ['gone', '1'],
  ])
  expect(
    changedParts(
      old,
      new Map([
        ['same', '1'],
        ['changed', '2'],
        ['added', '1'],
      ]),
    ),
  ).toEqual(['added', 'changed', 'gone'])
})
