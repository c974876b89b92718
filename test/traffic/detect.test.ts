import { describe, expect, it } from 'vitest'
import { detectLog } from '../../src/traffic/detect.ts'
import { openLog } from '../../src/traffic/log.ts'

const COMBINED = '10.0.0.1 - - [05/Jan/2026:12:00:59 +0000] "GET /a HTTP/1.1" 200 12 "-" "curl/8.5.0"'
const NOON = Date.UTC(2026, 0, 5, 12, 0, 59)

function detect(line: string, format?: string, fields: Record<string, string> = {}) {
  const found = detectLog([line], { format, fields: new Map(Object.entries(fields)) })
  return found.ok ? found.kind : found.problem
}

/** What a log contains about a request. */
function values(line: string, names: readonly string[], format?: string, fields: Record<string, string> = {}) {
  const kind = detect(line, format, fields)
  if (typeof kind === 'string') return kind
  const log = openLog(kind, new Map())
  const getters = names.map((name) => log.variables(name))
  const row = log.reader()(line)
  if (!row) return 'unreadable'
  return [log.arrival(row), ...getters.map((getter) => (getter ? getter(row) : undefined))]
}

describe('detects the format of', () => {
  it.each([
    ['common', '10.0.0.1 - bob [05/Jan/2026:12:00:59 +0000] "GET /a HTTP/1.1" 200 12'],
    ['combined', COMBINED],
    ['main', `${COMBINED} "203.0.113.9"`],
    ['ingress-nginx', `${COMBINED} 345 0.012 [shop-web-80] [] 10.1.0.4:8080 512 0.011 200 8f0d6a7f`],
    ['json', '{"time":"2026-01-05T12:00:59Z","remote_addr":"10.0.0.1","request_uri":"/a"}'],
  ])('%s', (name, line) => expect(detect(line)).toMatchObject({ name }))

  it('a known format that was pasted', () => {
    const pasted = `log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';`
    expect(detect(COMBINED, pasted)).toMatchObject({ name: 'combined', lines: { quoted: 2 } })
  })
})

describe('reports what is missing', () => {
  it.each([
    [
      'hello world',
      undefined,
      'the format of the log cannot be detected from its first lines; set it with --log-format. The log begins: hello world',
    ],
    [
      'x',
      'combinde',
      '"combinde" is not a known log format (json, ingress-nginx, main, combined, common) and has no variable, such as $remote_addr',
    ],
    [
      'x',
      '$remote_addr "$request"',
      'the log (custom format) has no time of requests: it needs one of $msec, $time_iso8601, $time_local',
    ],
    [
      'x',
      '$remote_addr $msec',
      'the log (custom format) has no path of requests: it needs one of $request, $request_uri, $uri',
    ],
    ['x', '$', 'the log format is not valid: a $ has no variable name behind it'],
    ['{"a":1}', undefined, 'the log (json) has no time of requests: it needs one of $msec, $time_iso8601, $time_local'],
  ])('%s as %s', (line, format, problem) => expect(detect(line, format)).toBe(problem))
})

describe('reads', () => {
  it('the variables of combined', () => {
    const names = [
      'remote_addr',
      'request_method',
      'uri',
      'args',
      'http_user_agent',
      'host',
      'http_x_api_key',
      'binary_remote_addr',
    ]
    expect(values(COMBINED.replace('/a ', '/a?b=1 '), names)).toEqual([
      NOON,
      '10.0.0.1',
      'GET',
      '/a',
      'b=1',
      'curl/8.5.0',
      undefined,
      undefined,
      '10.0.0.1',
    ])
  })

  it('nested fields of collectors', () => {
    const line = JSON.stringify({
      '@timestamp': '2026-01-05T12:00:59.250Z',
      source: { ip: '::1' },
      http: { request: { method: 'POST' } },
      url: { original: '/a?b=1', domain: 'Shop.Example' },
    })
    expect(values(line, ['remote_addr', 'request_method', 'arg_b', 'host'])).toEqual([
      NOON + 250,
      '::1',
      'POST',
      '1',
      'Shop.Example',
    ])
  })

  it('fields that the user names', () => {
    const line = '{"when":1767614459.5,"who":"10.9.8.7","what":"GET /x HTTP/1.1"}'
    expect(values(line, ['remote_addr', 'uri'], 'json', { msec: 'when', remote_addr: 'who', request: 'what' })).toEqual(
      [NOON + 500, '10.9.8.7', '/x'],
    )
  })

  it('when a request came, not when it ended', () => {
    expect(values('1767614460.700 2.500 GET /a', ['uri'], '$msec $request_time $request_method $request_uri')).toEqual([
      NOON - 800,
      '/a',
    ])
  })

  it('when it came in whole seconds where the log knows no better', () => {
    expect(values('2026-01-05T12:00:59+00:00 2.900 /a', ['uri'], '$time_iso8601 $request_time $uri')).toEqual([
      NOON - 2000,
      '/a',
    ])
  })
})
