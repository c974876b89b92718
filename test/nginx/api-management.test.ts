/**
 * The lint's verdict on a rate limit policy of an API proxy is that of nginx, where nginx has a say: it has no error exactly
 * where nginx accepts what the policy is mapped to. What only the API refuses (forms of rates and sizes, unknown
 * fields, fields that exclude each other) is left out, as are rates that overflow: `nginx -t` passes them.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mapLimits } from '../../src/api-management/mapping.ts'
import { DEFAULTS, readProxy } from '../../src/api-management/proxy.ts'
import { isObject } from '../../src/json/member.ts'
import { lint } from '../../src/lint/lint.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { send, startHttpBackend } from './backends.ts'
import { countOf, printCount, SEED } from './counts.ts'
import { platformOf } from './platform.ts'
import { either, field, list, object, oneOf } from './tempered.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const NUM_RUNS = countOf('SLUICE_CASES', 300)

const LARGEST = 2n ** 63n - 1n
const rate = field(
  fc.integer({ min: 1, max: 5000 }).map((count) => `${count}r/s`),
  fc.oneof(oneOf(`0r/s|00r/s|007r/s|${LARGEST}r/s|${LARGEST + 1n}r/s`), either(undefined)),
  oneOf('10R/S|10r/m|10'),
)
/** The last one is more than any machine has addresses for, the one before is no number for nginx. */
const zoneSize = field(oneOf('1M|2M|10M'), oneOf('0M|000M|01M|99999999999999999999M|134217728M'), oneOf('10m|1G|512k'))
const rateLimitBy = field(oneOf('uri|client.ip|consumer'), either(undefined), oneOf('header|'))
const count = field(either(undefined, 1, 5, 100), either(2 ** 31 - 1), either(0, -1, 2.5))
const throttle = object({
  burst: field(either(1, 20), either(2 ** 31 - 1), either(0)),
  delay: count,
  noDelay: field(either(undefined, false), either(true), either('true')),
})
const limit = object({
  rate,
  rateLimitBy,
  zoneSize,
  throttle: field(either(undefined), throttle({ plain: 9, tricky: 3, wrong: 1 }), either(5)),
})
const returnCode = field(either(429, 503, undefined), either(400, 444, 499, 599), either(399, 600, 302, 700))
const bodies = fc.oneof(
  ...[
    { plain: 1, tricky: 0, wrong: 0 },
    { plain: 8, tricky: 2, wrong: 0 },
    { plain: 30, tricky: 4, wrong: 1 },
  ].map((temper) =>
    fc
      .record({
        name: oneOf(`menu|Menü "{};$x|${'n'.repeat(5000)}`),
        returnCode: returnCode(temper),
        limits: list(limit, { minLength: 1, maxLength: 4 })(temper),
      })
      .map(({ name, ...action }) => ({ name, proxyConfig: { policies: { 'rate-limit': [{ action }] } } })),
  ),
)

/** Rules about what nginx itself refuses. */
const OF_NGINX = /\/(?:rate-zero|rate-overflow|zone-size-minimum|zone-memory|return-code)$/

/** What a gateway has of a body: every limit that the API takes. */
function configurationOf(body: Parameters<typeof readProxy>[0]): string {
  const proxy = readProxy(body)
  const limits = proxy.sets.flatMap((set) => mapLimits(proxy, set))
  // Null does not stand for the default: nginx is given the word.
  const codes = limits.map(({ policy: { returnCode } }) =>
    returnCode.raw === undefined ? DEFAULTS.returnCode : returnCode.raw,
  )
  const zones = limits.map(
    ({ key, zone, size, rate: counted }) => `limit_req_zone ${key} zone=${zone}:${size} rate=${counted};`,
  )
  const uses = limits.map(({ zone, parameters }) => `limit_req ${[`zone=${zone}`, ...parameters].join(' ')};`)
  return `map $http_x_api_key $consumer_id { default ""; secret shop; }
    ${zones.join('\n')}
    server { listen 127.0.0.1:1; location / { limit_req_status ${codes[0]}; ${uses.join(' ')} } }`
}

describeNginx('the verdict on a policy of an API proxy', (program) => {
  const bench = benchFor(program)
  const settings = { ...DEFAULT_SETTINGS, platform: { ...DEFAULT_SETTINGS.platform, ...platformOf(program) } }

  test(`is the same for ${NUM_RUNS} bodies`, () => {
    const counts = { accepted: 0, refused: 0, 'left to the API': 0 }
    const judged = fc.sample(bodies, { numRuns: NUM_RUNS, seed: SEED }).flatMap((body) => {
      if (!isObject(body)) return []
      const { findings } = lint([{ file: 'body.json', text: JSON.stringify(body) }], { settings }).report
      const errors = findings.filter(({ severity }) => severity === 'error')
      const overflows = errors.some(
        ({ rule, message }) => rule.endsWith('/rate-overflow') && !message.includes(`${LARGEST + 1n}`),
      )
      return overflows || errors.some(({ rule }) => !OF_NGINX.test(rule)) ? [] : [{ body, errors }]
    })
    counts['left to the API'] = NUM_RUNS - judged.length
    for (const [index, { accepted, output }] of bench
      .checkAll(judged.map(({ body }) => configurationOf(body)))
      .entries()) {
      const { errors = [] } = judged[index] ?? {}
      counts[accepted ? 'accepted' : 'refused'] += 1
      if (accepted !== (errors.length === 0)) expect.fail(`${output}\n${JSON.stringify(judged[index], null, 2)}`)
    }
    printCount('SLUICE_CASES', `nginx ${program.version}: ${JSON.stringify(counts)}`)
    for (const number of Object.values(counts)) expect(number).toBeGreaterThan(NUM_RUNS / 30)
  })

  test('drops a request header exactly where the lint says so', async () => {
    const backend = await startHttpBackend()
    try {
      const { port } = await bench.start(
        (listen) => `server { listen 127.0.0.1:${listen}; location / { proxy_pass http://${backend.address}; } }`,
      )
      for (const name of ['x-id', 'x_id', 'x.id', 'x!id', 'x|id', 'X-Request-Id', '1-id', '-']) {
        const before = backend.heard.length
        expect(await send(port, '/', { headers: { [name]: 'a' } })).toBeGreaterThan(0)
        const arrived = backend.heard[before]?.headers[name.toLowerCase()] !== undefined
        expect({ name, arrived }).toEqual({ name, arrived: correlationErrors(name) === 0 })
      }
    } finally {
      await backend.stop()
    }
  })
})

function correlationErrors(name: string): number {
  const policies = { 'rate-limit': [], 'request-correlation-id': [{ action: { httpHeaderName: name } }] }
  return lint([{ file: 'body.json', text: JSON.stringify({ policies }) }]).report.summary.errors
}
