import { describe, expect, it } from 'vitest'
import { createMetrics, registerWatches, type Watched } from '../../src/http/metrics.ts'
import { createAdmissionMetrics } from '../../src/servers/admission/metrics.ts'
import { unknownWorld } from '../subjects.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

/** The lines of `/metrics` with the values of some metrics. */
const linesOf = async (metrics: ReturnType<typeof createMetrics>, prefix: string): Promise<readonly string[]> =>
  (await metrics.metrics()).split('\n').filter((line) => line.startsWith(prefix))

describe('the metrics of reviews', () => {
  it('count by path, operation and outcome, and sort durations into buckets', async () => {
    const metrics = createMetrics('1.2.3')
    const world = unknownWorld()
    const counted = createAdmissionMetrics(metrics, {
      world: () => ({ world, synced: true, notSynced: [] }),
      bodyBytes: () => 7,
    })
    const review = { path: '/validate', operation: 'CREATE', outcome: 'would_deny' } as const
    counted.review({ ...review, seconds: 0.0005 })
    counted.review({ ...review, seconds: 0.004 })
    counted.review({ ...review, path: '/mutate', outcome: 'patched', seconds: 7 })
    expect(await linesOf(metrics, 'sluice_admission_reviews_total')).toEqual(
      cases('count by path, operation and outcome, and sort durations into buckets'),
    )
    expect(await linesOf(metrics, 'sluice_admission_would_deny_total')).toEqual(['sluice_admission_would_deny_total 2'])
    const durations = (await linesOf(metrics, 'sluice_admission_review_duration_seconds')).map((line) =>
      line.slice('sluice_admission_review_duration_seconds'.length),
    )
    expect(durations).toEqual(expect.arrayContaining(cases<string[]>('durations')))
  })

  it('are there before the first review where they have no labels', async () => {
    const metrics = createMetrics('1.2.3')
    const world = unknownWorld()
    let synced = false
    createAdmissionMetrics(metrics, { world: () => ({ world, synced, notSynced: ['Gateway'] }), bodyBytes: () => 7 })
    expect(await linesOf(metrics, 'sluice_admission_would_deny_total')).toEqual(['sluice_admission_would_deny_total 0'])
    expect(await linesOf(metrics, 'sluice_watches_synced')).toEqual(['sluice_watches_synced 0'])
    synced = true
    expect(await linesOf(metrics, 'sluice_watches_synced')).toEqual(['sluice_watches_synced 1'])
  })
})

it('the metrics of watches have a line for each state of each kind, which is 1 for the current one', async () => {
  const metrics = createMetrics('1.2.3')
  let watched: Watched = { kind: 'Gateway', state: 'starting', objects: 0 }
  registerWatches(metrics, () => [watched])
  expect(await linesOf(metrics, 'sluice_watch_state')).toContain(
    'sluice_watch_state{kind="Gateway",state="starting"} 1',
  )
  watched = { kind: 'Gateway', state: 'lost', objects: 3 }
  expect(await linesOf(metrics, 'sluice_watch_')).toEqual(
    cases('have a line for each state of each kind, which is 1 for the current one'),
  )
})
