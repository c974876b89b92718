/** `sluice simulate`: its reports in full. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/text/fingerprint.ts'
import { createShop, cwd, GATEWAY, json, LOG, line, policy, ROUTES, run, write } from './shop.ts'

createShop()

describe('reports', () => {
  it('zones by the names that the settings give them, and nothing else with other names', async () => {
    write('keyed.yaml', 'zoneNaming: keyed\n')
    const [indexed, keyed] = [
      await json('k8s --log access.log'),
      await json('k8s --log access.log --config keyed.yaml'),
    ]
    const named = JSON.stringify(indexed).replaceAll(
      '"shop_rl_coffee_rule0"',
      `"shop_rl_coffee_rule0_${fingerprint('$binary_remote_addr')}"`,
    )
    expect(named).not.toBe(JSON.stringify(indexed))
    expect(keyed).toEqual(JSON.parse(named))
  })

  it('as a page within 80 columns, without colours unless on a terminal', async () => {
    const { stdout } = await run('k8s --log access.log')
    expect(stdout).not.toContain('\x1b')
    expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(80)
    expect(stdout).toContain('requests per second')
    const colored = await run('k8s --log access.log', { columns: 120 })
    expect(colored.stdout).toContain('\x1b[')
  })

  it('as CSV, safe for spreadsheets', async () => {
    const log = line('10.0.0.1', 0, 'GET /coffee HTTP/1.1').replace('curl/8.5.0', '=1+1,x').repeat(2)
    write(
      'ua/all.yaml',
      `${GATEWAY}---${ROUTES}${policy('ua', ['HTTPRoute', 'coffee'], '{key: $http_user_agent, rate: 1r/s}')}`,
    )
    const { stdout } = await run('ua --log - --format csv --spread none', { stdin: log })
    expect(stdout.split('\r\n')).toEqual([
      'table,kind,namespace,name,index,key,time,requests,passed,delayed,rejected,unmatched,delayed_dry_run,rejected_dry_run,wait_p50_ms,wait_p95_ms,wait_max_ms,bucket_fill',
      'total,,,,,,,2,1,0,1,0,,,,,,',
      'route,HTTPRoute,shop,coffee,,,,2,1,0,1,0,,,,,,',
      'route,HTTPRoute,shop,tea,,,,0,0,0,0,0,,,,,,',
      'limit,RateLimitPolicy,shop,ua,0,$http_user_agent,,2,1,0,1,,0,0,,,,',
      `key,RateLimitPolicy,shop,ua,0,"'=1+1,x",,,1,0,1,,,,,,,`,
      'time,,,,,,2026-01-05T12:00:00.000Z,2,1,0,1,0,,,,,,0',
      '',
    ])
  })

  it('as a picture', async () => {
    expect((await run('k8s --log access.log --svg out/limits.svg')).code).toBe(0)
    const svg = readFileSync(join(cwd, 'out/limits.svg'), 'utf8')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* viewBox="0 0 960 460"/)
    expect(svg).toContain('<title id="title">8 requests: access.log (combined)</title>')
    expect(svg).toContain('prefers-color-scheme: dark')
    expect(svg.match(/<rect class="rejected"/g)?.length).toBeGreaterThan(1)
    expect(svg.match(/<(rect|line|text|title|desc|style)\b/g)?.length).toBe(
      (svg.match(/<\/(text|title|desc|style)>|\/>/g) ?? []).length,
    )
    expect(svg).not.toMatch(/NaN|Infinity|undefined/)
  })
})

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
})
