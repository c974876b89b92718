import { describe, expect, it } from 'vitest'
import { createMetrics } from '../../src/http/metrics.ts'

describe('metrics', () => {
  it('count by labels, and escape what labels hold', () => {
    const metrics = createMetrics()
    const requests = metrics.counter('requests_total', 'Requests.')
    requests.add({ path: '/a' })
    requests.add({ path: '/a' }, 2)
    requests.add({ path: 'a"b\\c\nd' })
    expect(metrics.text()).toBe(
      `# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{path="/a"} 3
requests_total{path="a\\"b\\\\c\\nd"} 1
`,
    )
  })

  it('sort values into buckets, each of which holds those below', () => {
    const metrics = createMetrics()
    const seconds = metrics.histogram('seconds', 'Times.', [0.1, 1])
    for (const value of [0.1, 0.5, 7]) seconds.observe(value)
    expect(metrics.text().split('\n').slice(2, -1)).toEqual([
      'seconds_bucket{le="0.1"} 1',
      'seconds_bucket{le="1"} 2',
      'seconds_bucket{le="+Inf"} 3',
      'seconds_sum 7.6',
      'seconds_count 3',
    ])
  })

  it('ask gauges when they are read', () => {
    const metrics = createMetrics()
    let value = 1
    metrics.gauge('plain', 'One value.', () => value)
    metrics.gauge('many', 'Several.', () => [{ labels: { kind: 'Gateway' }, value }])
    value = 2
    expect(metrics.text()).toContain('\nplain 2\n')
    expect(metrics.text()).toContain('\nmany{kind="Gateway"} 2\n')
  })

  it('have one meaning a name', () => {
    const metrics = createMetrics()
    metrics.counter('a_total', 'A.')
    expect(() => metrics.gauge('a_total', 'A.', () => 1)).toThrow('a_total')
  })
})
