import { describe, expect, it } from 'vitest'
import { detectLog } from '../../src/traffic/detect.ts'
import { toBytes } from '../../src/traffic/escaping.ts'
import { openLog } from '../../src/traffic/log.ts'
import { createUnwrapper } from '../../src/traffic/wrapper.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

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
  each<[string, string]>('%s', (name, line) => expect(detect(line)).toMatchObject({ name }), 'detects the format of')

  it('a known format that was pasted', () => {
    const pasted = `log_format main '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"';`
    expect(detect(COMBINED, pasted)).toMatchObject({ name: 'combined', lines: { quoted: 2 } })
  })
})

describe('reports what is missing', () =>
  each<[string, string | undefined, string]>('%s as %s', (line, format, problem) =>
    expect(detect(line, format)).toBe(problem),
  ))

describe('reads', () =>
  each<
    [string, { line: string; format?: string; fields?: Record<string, string>; names: string[]; values: unknown[] }]
  >(
    '%s',
    (_, { line, format, fields, names, values: [after, ...expected] }) =>
      expect(values(line, names, format, fields)).toEqual([NOON + Number(after), ...expected]),
    'reads',
  ))

describe('formats of other proxies and of containers', () => {
  const names = ['remote_addr', 'request_method', 'uri', 'host', 'server_port', 'scheme', 'http_user_agent']
  const TRAEFIK_JSON =
    '{"ClientAddr":"10.0.0.1:51000","ClientHost":"10.0.0.1","Duration":2500000,"RequestHost":"shop.example","RequestMethod":"GET","RequestPath":"/a?b=1","RequestPort":"-","RequestScheme":"https","StartUTC":"2026-01-05T12:00:59.25Z","time":"2026-01-05T12:01:02Z","request_User-Agent":"curl/8.5.0"}'
  const ENVOY_JSON =
    '{":authority":"shop.example:443","downstream_local_address":"10.1.0.2:10443","downstream_remote_address":"[2001:db8::1]:51000","duration":"3","method":"GET","start_time":"2026-01-05T12:00:59.250Z","user-agent":"curl/8.5.0","x-envoy-origin-path":"/a"}'
  each<[string, string, undefined | readonly (string | number | undefined)[]]>('%s of %s', (name, text, expected) => {
    expect(detect(text)).toMatchObject({ name })
    expect(detect(text, name.split(' ')[0])).toMatchObject({ name })
    if (expected) expect(values(text, names)).toEqual([...expected, 'curl/8.5.0'])
  })

  it('traefik and envoy are the names of their JSON too', () => {
    expect(detect(TRAEFIK_JSON, 'traefik')).toMatchObject({ name: 'json' })
    expect(detect(ENVOY_JSON, 'envoy')).toMatchObject({ name: 'json' })
  })

  it('the format of the lines within may be named', () => {
    const text = '2026-01-05T12:00:59Z stdout F 1767614459.1 10.0.0.1 /a'
    expect(detect(text, '$msec $remote_addr $uri')).toMatchObject({ name: 'cri custom format', wrapper: 'cri' })
    expect(detect('2026-01-05T12:00:59Z 10.0.0.1 /a', '$time_iso8601 $remote_addr $uri')).toEqual(
      expect.not.objectContaining({ wrapper: 'kubectl' }),
    )
  })
})

it('a line with a wrapper comes in pieces, each of its own stream', () => {
  const unwrap = createUnwrapper('cri')
  const at = '2026-01-05T12:00:59.1Z'
  expect(unwrap(`${at} stdout P one `)).toBeUndefined()
  expect(unwrap(`${at} stderr F failed`)).toEqual({ text: 'failed', isError: true })
  expect(unwrap(`${at} stdout P line `)).toBeUndefined()
  expect(unwrap(`${at} stdout F only`)).toEqual({ text: 'one line only', isError: false })
  expect(unwrap(`${at} stdout F`)).toEqual({ text: '', isError: false })
  expect(unwrap('no wrapper')).toEqual({ text: 'no wrapper', isError: false })
  const docker = createUnwrapper('docker')
  const piece = (log: string) => toBytes(JSON.stringify({ log, stream: 'stdout', time: at }))
  expect(docker(piece('größer'))).toBeUndefined()
  expect(docker(piece(' als\r\n'))).toEqual({ text: 'gr\xc3\xb6\xc3\x9fer als', isError: false })
})
