/** `sluice simulate` with a log and with a shape. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'
import { createShop, cwd, GATEWAY, json, LOG, policy, route, run, write } from './shop.ts'

createShop()

describe('a log', () => {
  const totals = { requests: 8, passed: 3, delayed: 1, rejected: 2, unmatched: 2 }

  it('meets the limits of its routes', async () => {
    expect(await json('k8s --log access.log --spread none')).toMatchObject({
      version: 1,
      composition: 'stack',
      gateway: { namespace: 'shop', name: 'edge' },
      traffic: {
        type: 'log',
        name: 'combined',
        files: ['access.log'],
        lines: 8,
        unreadable: 0,
        from: '2026-01-05T12:00:00.000Z',
      },
      totals,
      unmatchedReasons: { noRoute: 1, badRequest: 1 },
      waits: { p50: 1000, p95: 1000, max: 1000 },
      routes: [
        { name: 'coffee', requests: 5, passed: 2, delayed: 1, rejected: 2 },
        { name: 'tea', requests: 1, passed: 1 },
      ],
      policies: [
        {
          namespace: 'shop',
          name: 'coffee',
          limits: [
            {
              index: 0,
              zone: 'shop_rl_coffee_rule0',
              zoneBytes: 10 * 1024 ** 2,
              zoneMaxKeys: 81_375,
              key: '$binary_remote_addr',
              rate: '1r/s',
              requestsPerSecond: 1,
              burst: 1,
              delay: null,
              noDelay: false,
              rejectCode: 503,
              dryRun: false,
              requests: 5,
              passed: 2,
              delayed: 1,
              rejected: 2,
              topRejectedKeys: [{ key: '10.0.0.2', rejected: 2, delayed: 1, passed: 1 }],
            },
          ],
        },
      ],
      comparison: null,
    })
  })

  it('is read packed, from the standard input, and in parts', async () => {
    write('access.log.gz', gzipSync(LOG))
    write('first.log', LOG.slice(0, LOG.indexOf('10.0.0.1', 10)))
    write('second.log', LOG.slice(LOG.indexOf('10.0.0.1', 10)))
    expect(await json('k8s --spread none --log access.log.gz')).toMatchObject({ totals })
    expect(await json('k8s --spread none --log -', [Buffer.from(LOG)])).toMatchObject({ totals })
    expect(await json('k8s --spread none --log -', [gzipSync(LOG)])).toMatchObject({ totals })
    expect(await json('k8s --spread none --log second.log --log first.log')).toMatchObject({ totals })
  })

  it('is spread over its seconds where that is wanted', async () => {
    const { totals: spread, warnings } = await json('k8s --log access.log')
    expect(spread).toMatchObject({ passed: 3, delayed: 1, rejected: 2 })
    expect(warnings).toContain(
      "the log's times are whole seconds: the requests of each second are spread over it evenly (--spread none: all come at its beginning)",
    )
  })

  it('has lines that cannot be read', async () => {
    write('bad.log', `${LOG}garbage\n\x1b[31m"\xff\n${LOG.slice(0, 40)}`)
    const { code, stderr, stdout } = await run('k8s --log bad.log --spread none')
    expect(code).toBe(0)
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'sluice: bad.log:9: does not match the log format: garbage',
      'sluice: bad.log:10: does not match the log format: \\x1b[31m"ÿ',
      'sluice: bad.log:11: does not match the log format: 10.0.0.1 - - [05/Jan/2026:12:00:00 +0000',
    ])
    expect(stdout).toContain('unreadable 3 lines of 11')
    expect(await run('k8s --log bad.log --max-bad-lines 2')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('3 lines could not be read as combined, and --max-bad-lines allows 2'),
    })
  })

  it('that is not one ends the run', async () => {
    write('none.log', 'hello\nworld\n')
    write('empty.log', '')
    write('other.log', '1 2 3\n')
    const error = async (argv: string) => (await run(argv)).stderr
    expect(await error('k8s --log none.log')).toContain(
      'none.log: the format of the log cannot be detected from its first lines; set it with --log-format. The log begins: hello',
    )
    write('журнал.log', 'größer\n')
    expect(await error('k8s --log журнал.log')).toContain(
      'журнал.log: the format of the log cannot be detected from its first lines; set it with --log-format. The log begins: größer',
    )
    expect(await error('k8s --log empty.log')).toBe('sluice: empty.log: the log has no lines\n')
    expect(await error('k8s --log nowhere.log')).toBe('sluice: nowhere.log: no such file or folder\n')
    expect(await error('k8s --log other.log --log-format combined')).toContain(
      'none of 1 lines could be read as combined; describe the format of the log with --log-format',
    )
  })

  it('has the variables of its own format', async () => {
    write(
      'own.log',
      '1767614400.100 0.050 10.0.0.9 shop.example /coffee acme\n1767614400.150 0.100 10.0.0.8 shop.example /coffee acme\n',
    )
    const { stdout } = await sluice(
      [
        'simulate',
        'k8s',
        '--log',
        'own.log',
        '--log-format',
        '$msec $request_time $remote_addr $host $uri $http_x_tenant',
        '--format',
        'json',
      ],
      { cwd },
    )
    expect(JSON.parse(stdout)).toMatchObject({
      totals: { requests: 2, passed: 2 },
      traffic: { from: '2026-01-05T12:00:00.050Z' },
    })
  })

  it('of JSON lines', async () => {
    const lines = LOG.split('\n')
      .filter(Boolean)
      .map((text) => {
        const [, address, time, request] = /^(\S+) - - \[(\S+) \S+\] "(.*?)"/.exec(text) ?? []
        return JSON.stringify({ client: address, ts: `2026-01-05T${time?.slice(12)}Z`, request })
      })
    expect(await json('k8s --spread none --log -', [Buffer.from(lines.join('\n'))])).toMatchObject({
      totals,
      traffic: { name: 'json' },
    })
  })
})

describe('a shape', () => {
  it('comes from made-up clients', async () => {
    const report = await json('k8s --clients 4 --rate 2r/s --for 10s --route HTTPRoute/coffee')
    expect(report).toMatchObject({
      traffic: { type: 'shape', name: '4 clients at 2r/s for 10s, steady', from: 0 },
      totals: { requests: 80, passed: 4 },
    })
    expect(report.totals.rejected).toBeGreaterThan(20)
    expect(report.policies[0].limits[0].topRejectedKeys).toHaveLength(4)
    expect(await json('k8s --clients 4 --rate 2r/s --for 10s --route HTTPRoute/coffee')).toEqual(report)
  })

  it('goes to the file that the flag names', async () => {
    const shape = '--clients 1 --rate 1r/s --for 3s'
    expect(await json(`k8s ${shape} --path /tea/green?hot=1`)).toMatchObject({
      routes: [
        { name: 'tea', requests: 3 },
        { name: 'coffee', requests: 0 },
      ],
    })
    expect(await json(`k8s ${shape} --path /water`)).toMatchObject({ totals: { unmatched: 3 } })
    write(
      'one/all.yaml',
      `${GATEWAY}---${route('only', '/deep/down')}${policy('only', ['HTTPRoute', 'only'], '{key: x, rate: 1r/s}')}`,
    )
    expect(await json(`one ${shape}`)).toMatchObject({ routes: [{ name: 'only', requests: 3 }] })
  })

  it('meets the limits of a Gateway alone', async () => {
    write(
      'gw/all.yaml',
      `${GATEWAY}---${policy('edge', ['Gateway', 'edge'], '{key: $binary_remote_addr, rate: 1r/s}', 'dryRun: true,')}`,
    )
    expect(await json('gw --clients 1 --rate 2r/s --for 2s --route Gateway/edge')).toMatchObject({
      totals: { passed: 4, rejected: 0 },
      policies: [{ limits: [{ dryRun: true, rejectedDryRun: 2, topRejectedKeys: [{ rejected: 2 }] }] }],
    })
  })
})
