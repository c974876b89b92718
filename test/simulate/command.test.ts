/** `sluice simulate`: its reports and its usage. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fingerprint } from '../../src/text/fingerprint.ts'
import { createShop, cwd, GATEWAY, json, line, policy, ROUTES, route, run, write } from './shop.ts'

createShop()

describe('warns', () => {
  it('that nothing was simulated', async () => {
    write('far/all.yaml', `${GATEWAY}---${route('far', '/far', 'hostnames: [far.example]')}`)
    const { stdout, code } = await run('far --log access.log')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '! NOTHING WAS SIMULATED: of 8 requests none matched a route; --route KIND/NAME\n  sends all of them to one route',
    )
  })
  it('that no limit applies', async () => {
    write('free/all.yaml', `${GATEWAY}---${ROUTES}`)
    expect((await run('free --log access.log')).stdout).toContain(
      '! no limit applies to the 2 routes of this traffic: every request passes',
    )
  })
  it('which policies are not in force', async () => {
    write(
      'lost/all.yaml',
      GATEWAY +
        '---' +
        ROUTES +
        policy('a', ['HTTPRoute', 'coffee'], '{key: x, rate: 1r/s}', 'dryRun: true,') +
        policy('b', ['HTTPRoute', 'coffee'], '{key: x, rate: 1r/s}', 'dryRun: true,') +
        policy('c', ['HTTPRoute', 'coffee'], '{key: x, rate: 1R/S}'),
    )
    const { stdout } = await run('lost --log access.log')
    expect(stdout).toContain('policy shop/b is not in force: shop/a is preferred')
    expect(stdout).toContain('! policy shop/c is not in force: ')
  })
})

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

describe('wrong usage', () => {
  it.each([
    ['k8s', 'no traffic to simulate; use --log FILE, or --clients 20 --rate 5r/s --for 60s'],
    ['k8s --log access.log --clients 3', '--clients and --log exclude each other: use a log or made-up clients'],
    ['- --log -', 'the standard input cannot hold both manifests and a log'],
    ['k8s --clients 0 --for 1s', '--clients must be a whole number from 1 to 16,777,216; got "0"'],
    ['k8s --clients 1 --rate fast', '--rate must be the rate of one client, such as 5r/s or 30r/m; got "fast"'],
    ['k8s --clients 1 --for ever', '--for must be a time such as 500ms, 60s, 5m or 1h; got "ever"'],
    [
      'k8s --clients 1 --rate 10000r/s --for 24h',
      '1 client at 10000r/s for 24h, steady, are 864,000,000 requests, of which at most 100,000,000 can be simulated; choose a shorter --for, a lower --rate or fewer --clients',
    ],
    [
      'k8s --clients 2 --rate 1r/m --for 20h --shape burst --burst-every 1ms',
      '2 clients at 1r/m for 20h, burst, every 1 ms, are 144,000,000 requests, of which at most 100,000,000 can be simulated; choose a shorter --for, a lower --rate or fewer --clients',
    ],
    ['k8s --clients 1 --shape round', '--shape must be one of steady, poisson, burst, ramp; got "round"'],
    ['k8s --log access.log --set x', '--set must be VAR=VALUE, such as http_x_tenant=acme; got "x"'],
    ['k8s --log access.log --format xml', '--format must be one of text, json, csv; got "xml"'],
    ['k8s --log access.log --gateway edgy', 'Gateway "edgy" was not found; did you mean edge?'],
    [
      'k8s --log access.log --route HTTPRoute/cofee',
      'HTTPRoute cofee was not found; did you mean HTTPRoute/shop/coffee?',
    ],
    ['k8s --log access.log --compare nowhere', '--compare nowhere: no such file or folder'],
  ])('%s', async (argv, message) =>
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` }),
  )

  it('several Gateways without --gateway', async () => {
    write('two/all.yaml', `${GATEWAY}---${GATEWAY.replace('edge', 'other')}---${ROUTES}`)
    expect((await run('two --log access.log')).stderr).toBe(
      'sluice: there are several Gateways; select the one that receives the traffic with --gateway: shop/edge, shop/other\n',
    )
    expect((await run('two --log access.log --gateway edge')).code).toBe(0)
  })
})
