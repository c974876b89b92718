/** What fuzzing has found once holds from then on: the inputs that showed a mistake, and some of every target. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRandom } from '../../bench/random.ts'
import { fuzz, problemsOf } from '../../fuzz/core/campaign.ts'
import type { Input, OpenTarget, Target } from '../../fuzz/core/target.ts'
import { TARGETS } from '../../fuzz/targets.ts'

type Seed = { readonly why: string; readonly input: Input }

function seedsOf({ name }: Target): readonly Seed[] {
  const path = new URL(`../../fuzz/seeds/${name}.json`, import.meta.url)
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : []
}

/** Asks a target with which everything holds. */
async function using(target: Target, ask: (opened: OpenTarget) => Promise<void>): Promise<void> {
  const opened = await target.open()
  await ask(opened)
  expect(await opened.close?.()).toEqual(opened.close ? [] : undefined)
}

describe.each(TARGETS.map((target) => ({ name: target.name, target })))('$name', ({ target }) => {
  it('holds for the inputs that once showed a mistake', () =>
    using(target, async (opened) => {
      for (const { why, input } of seedsOf(target)) expect(await problemsOf(opened, input), why).toEqual([])
    }))

  it('makes the same inputs of the same random numbers', () => {
    const inputs = (seed: number) => {
      const random = createRandom(seed)
      return Array.from({ length: 5 }, () => target.make(random))
    }
    expect(inputs(1)).toEqual(inputs(1))
    expect(inputs(1)).not.toEqual(inputs(2))
  })
})

describe('a campaign', () => {
  const throwing: Target = {
    name: 'throwing',
    reads: 'texts',
    make: (random) => `${'a'.repeat(random.below(50))}${random.pick(['', 'x'])}${'b'.repeat(random.below(50))}`,
    open: async () => ({
      check(input) {
        if (String(input).includes('x')) throw new TypeError(`"${input}" has an x`)
        return []
      },
    }),
  }

  it('finds an exception once, and the smallest input that shows it', async () => {
    const { finds, inputs } = await fuzz(throwing, 1, 50)
    expect(finds.map(({ what, input, seed }) => [what, input, seed])).toEqual([
      ['exception TypeError: … has an x', 'x', 1],
    ])
    expect(inputs).toBeGreaterThan(0)
  })

  it('finds what takes more processor time than it may, each time that it is asked', async () => {
    const busy = (milliseconds: number) => {
      const begun = process.threadCpuUsage()
      let used = 0
      while (used < milliseconds * 1000) {
        const { user, system } = process.threadCpuUsage(begun)
        used = user + system
      }
      return []
    }
    expect(await problemsOf({ check: () => busy(40) }, '', 30)).toMatchObject([{ what: 'time' }])
    let asked = 0
    expect(await problemsOf({ check: () => (asked++ === 0 ? busy(40) : []) }, '', 30)).toEqual([])
  })
})
