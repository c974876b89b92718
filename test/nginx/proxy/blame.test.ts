/** Bad parts among many: all of them are found, the others are in force, and the number of attempts is bounded. */
import { expect, test } from 'vitest'
import type { Wanted } from '../../../src/proxy/configuration.ts'
import { describeNewestNginx } from '../with-nginx.ts'
import { drive } from './driving.ts'
import { composing, many, part } from './forms.ts'

const PARTS = 100
const LOG = Math.ceil(Math.log2(PARTS))
const BAD = [1, 5]

/** Some of the parts, spread over all of them. */
const pick = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `p${Math.floor(((index + 0.5) * PARTS) / count)}`)

/** The same configuration in one file, in which nothing leads to a part. */
const inOneFile =
  (compose: Wanted['compose']): Wanted['compose'] =>
  (forms) => {
    const files = compose(forms)
    const texts = new Map(files.map(({ name, text }) => [name, text]))
    const main = texts.get('nginx.conf') ?? ''
    return [{ name: 'nginx.conf', text: main.replace(/include (.*);/g, (_, name) => texts.get(name) ?? '') }]
  }

describeNewestNginx(`bad parts among ${PARTS}`, (program) => {
  test.each(BAD)('%i that nginx names: one test more than there are', async (count) => {
    const { apply, get } = await drive(program)
    await apply(many(PARTS))
    const next = many(PARTS, (name) => part(name, pick(count).includes(name) ? '$nothing' : '$uri', 'v2'))
    const outcome = await apply(
      many(PARTS, (name) => (next[name] ?? '').replace('$nothing zone', '$nothing nonsense zone')),
    )
    expect(outcome).toMatchObject({ result: 'applied', cost: { tests: count + 1, reloads: 1 } })
    expect(refusedIn(outcome)).toEqual([...pick(count)].sort())
    expect([await get(pick(count)[0] ?? ''), await get('p1')]).toEqual(['v1', 'v2'])
  })

  test.each(BAD)('%i changed keys: one reload more than there are', async (count) => {
    const { apply, get } = await drive(program)
    await apply(many(PARTS))
    const outcome = await apply(many(PARTS, (name) => part(name, pick(count).includes(name) ? '$host' : '$uri', 'v2')))
    expect(outcome).toMatchObject({ result: 'applied', cost: { tests: 1, reloads: count + 1 } })
    expect(refusedIn(outcome)).toEqual([...pick(count)].sort())
    expect([await get(pick(count)[0] ?? ''), await get('p1')]).toEqual(['v1', 'v2'])
  })

  test.each(BAD)('%i that nginx does not name: found by halves, or at once where they were foreseen', async (count) => {
    const { apply, get, port } = await drive(program)
    const compose = inOneFile(composing(port))
    await apply(many(PARTS), { compose })
    const next = (version: string) =>
      many(PARTS, (name) => part(name, '$uri', pick(count).includes(name) ? `${version};nonsense` : version))
    const searched = await apply(next('v2'), { compose })
    expect(refusedIn(searched)).toEqual([...pick(count)].sort())
    expect(searched.cost.tests).toBeLessThanOrEqual(2 * count * LOG + 3)
    expect(searched.cost.reloads).toBe(1)
    expect([await get(pick(count)[0] ?? ''), await get('p1')]).toEqual(['v1', 'v2'])
    const foreseen = await apply(next('v3'), { compose, suspects: new Set(pick(count)) })
    expect(refusedIn(foreseen)).toEqual([...pick(count)].sort())
    expect(foreseen.cost.tests).toBeLessThanOrEqual(2 * count + 3)
    expect([await get(pick(count)[0] ?? ''), await get('p1')]).toEqual(['v1', 'v3'])
    console.log(`${count} of ${PARTS} unnamed: ${searched.cost.tests} tests, foreseen ${foreseen.cost.tests}`)
  })
})

const refusedIn = (outcome: object): readonly string[] =>
  'refused' in outcome && Array.isArray(outcome.refused) ? outcome.refused.map(({ part }) => part).sort() : []
