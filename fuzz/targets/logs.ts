/** Access logs in any format, replayed through limits. */
import { formatSimulation, type SimulationReport, simulate } from '../../src/index.ts'
import { faultsOf, formatProblems } from '../core/manifests.ts'
import { mutatedText } from '../core/mutate.ts'
import { textAt, textsAt } from '../core/read.ts'
import { POLICY } from '../core/samples.ts'
import type { Input, Problem, Target } from '../core/target.ts'

const TIME = '05/Jan/2026:12:00:59 +0000'
const COMBINED = `10.0.0.1 - bob [${TIME}] "GET /coffee/a?b=1 HTTP/1.1" 200 12 "-" "curl/8.5.0"`

/** A line of each format that is known. */
const LINES: readonly string[] = [
  COMBINED,
  `10.0.0.1 - - [${TIME}] "GET /a HTTP/1.1" 200 12`,
  `menu.beans.example:443 ${COMBINED}`,
  '{"time":"2026-01-05T12:00:59Z","remote_addr":"10.0.0.1","request_uri":"/a","host":"menu.beans.example"}',
  '{"ts":1767614459.25,"client":{"ip":"10.0.0.1"},"request":"GET /a HTTP/2.0","status":429}',
  `10.0.0.1 - - [${TIME}] "GET /a HTTP/1.1" 200 12 "-" "curl/8.5.0" 7 "shop@kubernetes" "http://10.1.0.4:8080" 3ms`,
  '[2026-01-05T12:00:59.250Z] "GET /a HTTP/2" 200 - 0 12 3 2 "198.51.100.7,10.0.0.1" "curl/8.5.0" "8f" "shop.example:8443" "10.1.0.4:8080"',
  `2026-01-05T12:00:59.1Z stdout F ${COMBINED}`,
  `{"log":${JSON.stringify(`${COMBINED}\n`)},"stream":"stdout","time":"2026-01-05T12:00:59.1Z"}`,
  `[pod/nginx-1/nginx] 2026-01-05T12:00:59.1Z ${COMBINED}`,
  '1767614459.250 10.0.0.1 "POST /tea HTTP/1.1" x',
]
const FORMATS: readonly string[] = [
  '$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent "$http_referer" "$http_user_agent"',
  "log_format main escape=json '$remote_addr \"$request\" ' '$msec';",
  '$msec $remote_addr "$request" $http_x_tenant',
  '{"time":"$time_iso8601","remote_addr":"$remote_addr","request":"$request"}',
]
const NAMES = [
  '',
  '',
  '',
  'combined',
  'common',
  'json',
  'cri',
  'docker',
  'kubectl',
  'envoy',
  'traefik',
  'vhost_combined',
] as const

const SOURCES = [
  { file: 'policy.json', text: JSON.stringify(POLICY) },
  {
    file: 'route.json',
    text: '{"apiVersion":"gateway.networking.k8s.io/v1","kind":"HTTPRoute","metadata":{"name":"coffee","namespace":"shop"},"spec":{"rules":[{"matches":[{"path":{"type":"PathPrefix","value":"/"}}]}]}}',
  },
]
const ROUTE = 'HTTPRoute/shop/coffee'

export const LOGS: Target = {
  name: 'logs',
  reads: 'lines of access logs, and their formats',
  make(random) {
    const line = random.pick(LINES)
    const lines = Array.from({ length: 1 + random.below(6) }, () =>
      mutatedText(random, random.below(8) === 0 ? random.pick(LINES) : line),
    )
    const many = random.below(50) === 0 ? 200 : 1
    return {
      log: Array.from({ length: many }, () => lines.join(random.pick(['\n', '\n', '\r\n']))).join('\n'),
      format: random.below(5) === 0 ? mutatedText(random, random.pick(FORMATS)) : random.pick([...NAMES, ...FORMATS]),
      field:
        random.below(8) === 0
          ? { [random.pick(['remote_addr', 'msec', 'uri'])]: mutatedText(random, 'client.ip') }
          : {},
      spread: random.pick(['even', 'none']),
      host: random.below(4) === 0 ? mutatedText(random, 'menu.beans.example') : '',
    }
  },
  async open() {
    return { check }
  },
}

function check(input: Input): readonly Problem[] {
  const [format, host] = [textAt(input, 'format'), textAt(input, 'host')]
  const traffic = {
    log: textAt(input, 'log'),
    field: Object.fromEntries(textsAt(input, 'field')),
    ...(textAt(input, 'spread') === 'none' ? { spread: 'none' as const } : {}),
    ...(format === '' ? {} : { logFormat: format }),
    ...(host === '' ? {} : { host }),
  }
  const result = simulate(SOURCES, traffic, { route: ROUTE })
  if (!result.ok) return faultsOf('simulate', result)
  return [
    ...(['text', 'json', 'csv', 'svg'] as const).flatMap((as) =>
      formatProblems(`simulate as ${as}`, formatSimulation(result.value, as)),
    ),
    ...sumProblems(result.value),
  ]
}

/** Every request has one outcome, and is in one route and in one interval. */
function sumProblems({ totals, traffic, timeline, unmatchedReasons }: SimulationReport): readonly Problem[] {
  const { requests, passed, delayed, rejected, unmatched } = totals
  const sum = (of: 'passed' | 'delayed' | 'rejected' | 'unmatched') => timeline.reduce((all, one) => all + one[of], 0)
  const isRight =
    requests === passed + delayed + rejected + unmatched &&
    unmatched === unmatchedReasons.noRoute + unmatchedReasons.badRequest &&
    requests + traffic.unreadable <= traffic.lines &&
    passed === sum('passed') &&
    delayed === sum('delayed') &&
    rejected === sum('rejected') &&
    unmatched === sum('unmatched')
  return isRight ? [] : [{ what: 'requests are miscounted', detail: JSON.stringify({ totals, traffic, timeline }) }]
}
