/** The timeline of `sluice simulate` as a picture: the ticks of its axis. The rest is among the archives of commands. */
import { describe, expect, it } from 'vitest'
import { timeAxisTitle, timeTicks } from '../../src/reports/simulation/scale.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const at = (time: number): string => new Date(time).toISOString()

/** At most six ticks of `count` intervals, for shapes from a number on. */
const ticks = (first: string | number, count: number, interval: number) =>
  timeTicks(
    {
      interval,
      timeline: Array.from({ length: count }, (_, index) => ({
        at: typeof first === 'number' ? first + index * interval : at(Date.parse(first) + index * interval * 1000),
        passed: 1,
        delayed: 0,
        rejected: 0,
        unmatched: 0,
      })),
    },
    6,
  ).map(({ offset, label }) => `${offset} ${label}`)

describe('ticks stand at round times', () => {
  each<[string, Parameters<typeof ticks>, string[]]>('at %s', (_, times, expected) =>
    expect(ticks(...times)).toEqual(expected),
  )

  it('of which there are never more than there is room for', () => {
    for (let count = 1; count < 500; count += 7) expect(ticks(at(count * 777), count, 900).length).toBeLessThan(7)
  })
})

it('the axis of a shape begins at its start', () => expect(timeAxisTitle({ timeline: [] })).toBe('since the start'))
