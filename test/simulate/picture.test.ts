/** The timeline of `sluice simulate` as a picture: what stands on it beside the bars. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { timeAxisTitle, timeTicks } from '../../src/reports/simulation/scale.ts'
import { createShop, cwd, GATEWAY, json, policy, ROUTES, run, write } from './shop.ts'

createShop()

const ticks = (first: string | number, count: number, interval: number, most = 6) =>
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
    most,
  ).map(({ offset, label }) => `${offset} ${label}`)

const at = (time: number): string => new Date(time).toISOString()

describe('ticks stand at round times', () => {
  it.each([
    ['seconds', '2026-01-05T12:00:03.500Z', 20, 0.5, ['0.5 12:00:04', '2.5 12:00:06', '4.5 12:00:08', '6.5 12:00:10']],
    ['parts of them', '2026-01-05T12:00:03.900Z', 10, 0.1, ['0.1 12:00:04.0', '0.3 12:00:04.2', '0.5 12:00:04.4']],
    ['hours and midnights', '2026-01-05T22:30:00Z', 9, 1800, ['1800 23:00', '5400 2026-01-06', '9000 01:00']],
    ['days', '2026-01-05T12:00:00Z', 8, 43_200, ['43200 2026-01-06', '129600 2026-01-07', '216000 2026-01-08']],
  ])('at %s', (_, ...[first, count, interval, expected]) =>
    expect(ticks(first, count, interval).slice(0, expected.length)).toEqual(expected),
  )

  it('of shapes too, and never more than there is room for', () => {
    expect(ticks(0, 90, 1)).toEqual(['0 0s', '15 15s', '30 30s', '45 45s', '60 60s', '75 75s'])
    expect(ticks(0, 60, 60)).toEqual(['0 0m', '600 10m', '1200 20m', '1800 30m', '2400 40m', '3000 50m'])
    for (let count = 1; count < 500; count += 7) expect(ticks(at(count * 777), count, 900).length).toBeLessThan(7)
    expect(ticks(0, 0, 1)).toEqual([])
  })
})

describe('the picture has', () => {
  const svg = () => readFileSync(join(cwd, 'limits.svg'), 'utf8')

  it('the date, the name of the policy and a line at its rate', async () => {
    await run('k8s --log access.log --svg limits.svg')
    expect(svg()).toContain('>2026-01-05, UTC</text>')
    expect(svg()).toContain('>shop/coffee: 1r/s, burst 1, by $binary_remote_addr</text>')
    expect(svg()).toContain('>1r/s for each $binary_remote_addr, shop/coffee</text>')
    expect(svg().match(/<g class="rate">/g)).toHaveLength(1)
    expect(svg()).not.toContain('class="old"')
  })

  it('what the old version let through', async () => {
    write(
      'old/all.yaml',
      `${GATEWAY}---${ROUTES}${policy('coffee', ['HTTPRoute', 'coffee'], '{key: all, rate: 9r/s}')}`,
    )
    await run('k8s --log access.log --spread none --compare old --svg limits.svg')
    expect(svg()).toContain('>old version: passed or delayed 2</text>')
    expect(svg().match(/<path class="old"/g)).toHaveLength(2)
    const { comparison, timeline } = await json('k8s --log access.log --spread none --compare old')
    const times = (points: readonly { at: string }[]) => points.map((point) => point.at)
    expect(times(comparison.old.timeline)).toEqual(times(timeline))
    expect(comparison.old.timeline[0]).toMatchObject({ passed: 1, rejected: 4 })
  })

  it('no line at a rate that is far above the traffic', async () => {
    write(
      'far/all.yaml',
      `${GATEWAY}---${ROUTES}${policy('coffee', ['HTTPRoute', 'coffee'], '{key: a, rate: 900r/s}')}`,
    )
    await run('far --log access.log --svg limits.svg')
    expect(svg()).not.toContain('<g class="rate">')
    expect(timeAxisTitle({ timeline: [] })).toBe('since the start')
  })
})
