/** `sluice simulate` from its arguments to its reports. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'

let cwd: string
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'sluice-simulate-'))
  write('k8s/gateway.yaml', GATEWAY)
  write('k8s/routes.yaml', ROUTES)
  write(
    'k8s/limits.yaml',
    policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 1r/s, burst: 1}'),
  )
  write('access.log', LOG)
})
afterAll(() => rmSync(cwd, { recursive: true }))

function write(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(join(cwd, path)), { recursive: true })
  writeFileSync(join(cwd, path), content)
}

const GATEWAY = `
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: edge, namespace: shop}
spec:
  gatewayClassName: nginx
  listeners: [{name: http, port: 80, protocol: HTTP}]
`
const route = (name: string, path: string, rest = '') => `
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: ${name}, namespace: shop}
spec:
  parentRefs: [{name: edge}]
  ${rest}
  rules: [{matches: [{path: {type: PathPrefix, value: ${path}}}]}]
---`
const ROUTES = route('coffee', '/coffee') + route('tea', '/tea')
const policy = (name: string, [kind, target]: readonly [string, string], limits: string, settings = '') => `
apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: {name: ${name}, namespace: shop}
spec:
  targetRefs: [{group: gateway.networking.k8s.io, kind: ${kind}, name: ${target}}]
  rateLimit: {${settings} local: {rules: [${limits}]}}
---`

const line = (address: string, second: number, request: string) =>
  `${address} - - [05/Jan/2026:12:00:${String(second).padStart(2, '0')} +0000] "${request}" 200 12 "-" "curl/8.5.0"\n`
/** Two clients: one comes once a second, the other four times at once. */
const LOG = [
  line('10.0.0.1', 0, 'GET /coffee HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.2', 0, 'GET /coffee/dark HTTP/1.1'),
  line('10.0.0.1', 1, 'GET /tea HTTP/1.1'),
  line('10.0.0.1', 2, 'GET /water HTTP/1.1'),
  line('10.0.0.1', 3, '-'),
].join('')

const run = (argv: string, options: { stdin?: string | Iterable<Uint8Array>; columns?: number } = {}) =>
  sluice(['simulate', ...argv.split(' ').filter((word) => word !== '')], { cwd, ...options })

async function json(argv: string, stdin?: Iterable<Uint8Array>) {
  const { stdout, stderr, code } = await run(`${argv} --format json`, stdin ? { stdin } : {})
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

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
      unmatched: { noRoute: 1, invalid: 1 },
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
              rule: 0,
              zone: 'shop_rl_coffee_rule0',
              key: '$binary_remote_addr',
              rate: '1r/s',
              burst: 1,
              requests: 5,
              passed: 2,
              delayed: 1,
              rejected: 2,
              topRefusedKeys: [{ key: '10.0.0.2', rejected: 2, delayed: 1, passed: 1 }],
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
      "the log's times are whole seconds: the requests of each second are spread over it evenly (--spread none has them come at once)",
    )
  })

  it('has lines that cannot be read', async () => {
    write('bad.log', `${LOG}garbage\n\x1b[31m"\xff\n${LOG.slice(0, 40)}`)
    const { code, stderr, stdout } = await run('k8s --log bad.log --spread none')
    expect(code).toBe(0)
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      'sluice: bad.log:9: not as the format has it: garbage',
      'sluice: bad.log:10: not as the format has it: \\x1b[31m"ÿ',
      'sluice: bad.log:11: not as the format has it: 10.0.0.1 - - [05/Jan/2026:12:00:00 +0000',
    ])
    expect(stdout).toContain('unreadable 3 lines of 11')
    expect(await run('k8s --log bad.log --max-bad-lines 2')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('3 lines could not be read as combined, and --max-bad-lines allows 2'),
    })
  })

  it('that is none ends the run', async () => {
    write('none.log', 'hello\nworld\n')
    write('empty.log', '')
    write('other.log', '1 2 3\n')
    const error = async (argv: string) => (await run(argv)).stderr
    expect(await error('k8s --log none.log')).toContain(
      "none.log: nobody can tell the log's format from its first lines; name it with --log-format. It begins: hello",
    )
    expect(await error('k8s --log empty.log')).toBe('sluice: empty.log: no line in it\n')
    expect(await error('k8s --log nowhere.log')).toBe('sluice: nowhere.log: no such file or folder\n')
    expect(await error('k8s --log other.log --log-format combined')).toContain(
      'none of 1 lines could be read as combined; --log-format says how they are written',
    )
  })

  it('tells what its own format tells', async () => {
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
  it('comes from clients that nobody logged', async () => {
    const report = await json('k8s --clients 4 --rate 2r/s --for 10s --route HTTPRoute/coffee')
    expect(report).toMatchObject({
      traffic: { type: 'shape', name: '4 clients at 2r/s for 10s, steady', from: 0 },
      totals: { requests: 80, passed: 4 },
    })
    expect(report.totals.rejected).toBeGreaterThan(20)
    expect(report.policies[0].limits[0].topRefusedKeys).toHaveLength(4)
    expect(await json('k8s --clients 4 --rate 2r/s --for 10s --route HTTPRoute/coffee')).toEqual(report)
  })

  it('goes where it says', async () => {
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
      policies: [{ limits: [{ dryRun: { rejected: 2 }, topRefusedKeys: [{ rejected: 2 }] }] }],
    })
  })
})

describe('limits', () => {
  const both = (settings: string, routeSettings = '') =>
    GATEWAY +
    '---' +
    ROUTES +
    policy('edge', ['Gateway', 'edge'], '{key: $binary_remote_addr, rate: 2r/s, burst: 1, noDelay: true}', settings) +
    policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 1r/s}', routeSettings)

  it('of Gateway and route stack up, or the route replaces them', async () => {
    write('both/all.yaml', both(''))
    const shape = 'both --clients 1 --rate 4r/s --for 4s --path /coffee'
    expect(await json(shape)).toMatchObject({
      totals: { requests: 16, passed: 4, rejected: 12 },
      policies: [
        { name: 'edge', limits: [{ requests: 16, passed: 4, refusedByOther: 12 }] },
        { name: 'coffee', limits: [{ rejected: 12 }] },
      ],
    })
    const inherited = await json(`${shape} --composition inherit`)
    expect(inherited).toMatchObject({ composition: 'inherit', totals: { passed: 4, rejected: 12 } })
    expect(inherited.policies).toMatchObject([{ name: 'coffee' }, { name: 'edge', limits: [{ requests: 0 }] }])
  })

  it('of a Gateway stand before those of a route that has other settings', async () => {
    write('hop/all.yaml', both('rejectCode: 429,', 'rejectCode: 430,'))
    expect(await json('hop --clients 1 --rate 4r/s --for 4s --path /coffee')).toMatchObject({
      policies: [
        { name: 'edge', limits: [{ requests: 16, rejected: 7 }] },
        { name: 'coffee', limits: [{ requests: 9, rejected: 5, passed: 4 }] },
      ],
    })
    write('dry/all.yaml', both('', 'dryRun: true,'))
    expect(await json('dry --clients 1 --rate 4r/s --for 4s --path /coffee')).toMatchObject({
      totals: { passed: 9, rejected: 7 },
      policies: [{ name: 'edge' }, { name: 'coffee', limits: [{ dryRun: { rejected: 5 } }] }],
    })
  })

  it('by what the log does not tell are not simulated, unless the user tells it', async () => {
    write(
      'key/all.yaml',
      GATEWAY +
        '---' +
        ROUTES +
        policy('coffee', ['HTTPRoute', 'coffee'], '{key: $http_x_api_key, rate: 1r/s}, {key: all, rate: 1r/m}'),
    )
    const unknown = await json('key --log access.log --spread none')
    expect(unknown.policies[0].limits).toMatchObject([
      { notSimulated: 'the traffic does not tell its key', requests: 0 },
      { rejected: 4 },
    ])
    expect(unknown.warnings[0]).toBe(
      'shop/coffee rules[0] is not simulated: the log does not tell $http_x_api_key of its key $http_x_api_key; --set http_x_api_key=VALUE would give all requests one value',
    )
    expect((await json('key --log access.log --set http_x_api_key=acme')).policies[0].limits).toMatchObject([
      { rejected: 4 },
      { refusedByOther: 0 },
    ])
    expect((await json('key --log access.log --set http_x_api_key=')).policies[0].limits).toMatchObject([
      { requests: 0, withoutKey: 5 },
      {},
    ])
  })

  it('of two versions are compared', async () => {
    write(
      'old/all.yaml',
      GATEWAY +
        '---' +
        ROUTES +
        policy('coffee', ['HTTPRoute', 'coffee'], '{key: $binary_remote_addr, rate: 9r/s, burst: 9}'),
    )
    const { comparison } = await json('k8s --log access.log --spread none --compare old')
    expect(comparison).toEqual({
      old: { totals: { requests: 8, passed: 3, delayed: 3, rejected: 0, unmatched: 2 } },
      newlyRefused: { requests: 2, keys: 1, top: [{ policy: 'shop/coffee', rule: 0, key: '10.0.0.2', requests: 2 }] },
      noLongerRefused: { requests: 0, keys: 0, top: [] },
    })
    const { stdout } = await run('old --log access.log --spread none --compare k8s')
    expect(stdout).toContain('no longer  refused 2 requests of 1 key\n             10.0.0.2: 2 by shop/coffee rules[0]')
  })
})

describe('a host', () => {
  const hosts =
    GATEWAY +
    '---' +
    route('a', '/coffee', 'hostnames: [a.example]') +
    route('b', '/coffee', 'hostnames: [b.example]') +
    policy('b', ['HTTPRoute', 'b'], '{key: x, rate: 1r/m}')

  it('is asked for where the log has none', async () => {
    write('hosts/all.yaml', hosts)
    const { warnings, routes } = await json('hosts --log access.log')
    expect(warnings[0]).toBe(
      'the traffic has no host, so routes of a.example, b.example are told apart by path alone; --host NAME says whose it is',
    )
    expect(routes).toMatchObject([
      { name: 'a', requests: 5 },
      { name: 'b', requests: 0 },
    ])
  })
  it('is given', async () => {
    const { routes } = await json('hosts --log access.log --host B.example:443')
    expect(routes).toMatchObject([
      { name: 'b', requests: 5 },
      { name: 'a', requests: 0 },
    ])
    expect(await json('hosts --log access.log --host c.example')).toMatchObject({ totals: { unmatched: 8 } })
  })
  it('of the log is the one that counts', async () => {
    const log = '{"ts":1767614400.1,"host":"a.example","request":"GET /coffee HTTP/1.1"}'
    expect(await json('hosts --log - --host b.example', [Buffer.from(log)])).toMatchObject({
      routes: [{ name: 'a', requests: 1 }, { name: 'b' }],
    })
  })
})

describe('says loudly', () => {
  it('that nothing was simulated', async () => {
    write('far/all.yaml', `${GATEWAY}---${route('far', '/far', 'hostnames: [far.example]')}`)
    const { stdout, code } = await run('far --log access.log')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '! NOTHING WAS SIMULATED: of 8 requests none met a route; --route KIND/NAME has\n  all meet one',
    )
  })
  it('that no limit applies', async () => {
    write('free/all.yaml', `${GATEWAY}---${ROUTES}`)
    expect((await run('free --log access.log')).stdout).toContain(
      '! no limit applies to the 2 routes of this traffic: everything passes',
    )
  })
  it('which policies do not count', async () => {
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
    expect(stdout).toContain('policy shop/b does not count: it loses to shop/a')
    expect(stdout).toContain('! policy shop/c does not count: ')
  })
})

describe('reports', () => {
  it('as a page within 80 columns, without colours where nobody wants them', async () => {
    const { stdout } = await run('k8s --log access.log')
    expect(stdout).not.toContain('\x1b')
    expect(Math.max(...stdout.split('\n').map((text) => text.length))).toBeLessThanOrEqual(80)
    expect(stdout).toContain('requests a second')
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
      'table,kind,namespace,name,rule,key,time,requests,passed,delayed,rejected,unmatched,dry_run_delayed,dry_run_rejected,wait_p50_ms,wait_p95_ms,wait_max_ms',
      'total,,,,,,,2,1,0,1,0,,,,,',
      'route,HTTPRoute,shop,coffee,,,,2,1,0,1,0,,,,,',
      'route,HTTPRoute,shop,tea,,,,0,0,0,0,0,,,,,',
      'limit,RateLimitPolicy,shop,ua,0,$http_user_agent,,2,1,0,1,,0,0,,,',
      `key,RateLimitPolicy,shop,ua,0,"'=1+1,x",,,1,0,1,,,,,,`,
      'time,,,,,,2026-01-05T12:00:00.000Z,2,1,0,1,0,,,,,',
      '',
    ])
  })

  it('as a picture', async () => {
    expect((await run('k8s --log access.log --svg out/limits.svg')).code).toBe(0)
    const svg = readFileSync(join(cwd, 'out/limits.svg'), 'utf8')
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"[^>]* viewBox="0 0 960 420"/)
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
    ['k8s', 'which traffic? --log FILE, or --clients 20 --rate 5r/s --for 60s'],
    ['k8s --log access.log --clients 3', '--clients makes traffic, and --log has traffic; give one of them'],
    ['- --log -', 'the standard input cannot hold both manifests and a log'],
    ['k8s --clients 0 --for 1s', '--clients is a whole number from 1 to 16,777,216; got "0"'],
    ['k8s --clients 1 --rate fast', '--rate is what one client sends, such as 5r/s or 30r/m; got "fast"'],
    ['k8s --clients 1 --for ever', '--for is a time such as 500ms, 60s, 5m or 1h; got "ever"'],
    ['k8s --clients 1 --shape round', '--shape is one of steady, poisson, burst, ramp; got "round"'],
    ['k8s --log access.log --set x', '--set is VAR=VALUE, such as http_x_tenant=acme; got "x"'],
    ['k8s --log access.log --format xml', '--format is one of text, json, csv; got "xml"'],
    ['k8s --log access.log --gateway edgy', 'no Gateway "edgy"; did you mean edge?'],
    [
      'k8s --log access.log --route HTTPRoute/cofee',
      'no HTTPRoute cofee is in sight; did you mean HTTPRoute/shop/coffee?',
    ],
    ['k8s --log access.log --compare nowhere', '--compare nowhere: no such file or folder'],
  ])('%s', async (argv, message) =>
    expect(await run(argv)).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` }),
  )

  it('asks whose traffic it is where there are several Gateways', async () => {
    write('two/all.yaml', `${GATEWAY}---${GATEWAY.replace('edge', 'other')}---${ROUTES}`)
    expect((await run('two --log access.log')).stderr).toBe(
      'sluice: whose traffic is it? --gateway picks one of shop/edge, shop/other\n',
    )
    expect((await run('two --log access.log --gateway edge')).code).toBe(0)
  })
})
