import { Counter, Gauge } from '@prometheus-io/client'
import { describe, expect, it } from 'vitest'
import { serveWithHealth } from '../../src/http/health.ts'
import type { StopTimes } from '../../src/http/listen.ts'
import { createMetrics } from '../../src/http/metrics.ts'

describe('metrics', () => {
  it('describe the program and its process, as of the moment in which they are read', async () => {
    const metrics = createMetrics('1.2.3')
    const cpuTime = async () => Number(/^process_cpu_seconds_total (\S+)$/m.exec(await metrics.metrics())?.[1])
    const text = await metrics.metrics()
    expect(text).toContain(`\nsluice_build_info{version="1.2.3",nodejs_version="${process.versions.node}"} 1\n`)
    const started = Number(/^process_start_time_seconds (\S+)$/m.exec(text)?.[1])
    expect(Math.abs(Date.now() / 1000 - process.uptime() - started)).toBeLessThan(60)
    expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1_000_000)
    const before = await cpuTime()
    const { user: begun } = process.cpuUsage()
    while (process.cpuUsage().user < begun + 20_000);
    const after = await cpuTime()
    expect(after).toBeGreaterThan(before)
    const { user, system } = process.cpuUsage()
    expect(after).toBeLessThanOrEqual((user + system) / 1_000_000)
  })

  it('of two servers in one process are apart', async () => {
    const metrics = createMetrics('1.2.3')
    new Counter({ name: 'requests_total', help: 'Requests.', registers: [metrics] }).inc()
    expect(await metrics.metrics()).toContain('\nrequests_total 1\n')
    expect(await createMetrics('1.2.3').metrics()).not.toContain('requests_total')
  })

  it('that cannot be read are a problem without details, which the log has', async () => {
    const faults: object[] = []
    const metrics = createMetrics('1.2.3')
    metrics.metrics = () => Promise.reject(new Error('no such table in /var/state.db'))
    const at = { host: '127.0.0.1', healthPort: 0, metrics, notReady: () => undefined }
    const log = { error: (fields: object) => void faults.push(fields) }
    const { healthPort, stop } = await serveWithHealth({ stop: async (_times: StopTimes) => {} }, { ...at, log })
    const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`)
    expect([response.status, response.headers.get('content-type')]).toEqual([500, 'application/problem+json'])
    expect(await response.json()).toMatchObject({ detail: 'a fault in sluice; its log has the details' })
    expect(faults).toHaveLength(1)
    await stop({ drain: 0, grace: 0, idle: 0 })
  })

  it('have one meaning a name', () => {
    const registers = [createMetrics('1.2.3')]
    new Counter({ name: 'a_total', help: 'A.', registers })
    expect(() => new Gauge({ name: 'a_total', help: 'A.', registers })).toThrow('a_total')
  })
})
