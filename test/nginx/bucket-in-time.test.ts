/** The bucket against real programs to the thousandth and the millisecond: their debug log tells what they computed when. */
import { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseRate } from '../../src/limits/rate.ts'
import { limitParameters } from '../../src/nginx/rejections.ts'
import { casesOf } from '../support/cases.ts'
import { createLimit, createZone, decide, recordOf } from './bucket.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const RATES = { a: '50r/s', b: '700r/m', c: '333r/s', d: '1r/m' } as const

type Rule = {
  readonly zone: keyof typeof RATES
  readonly burst?: number
  readonly delay?: number
  readonly noDelay?: boolean
}

/** Locations and their limits. The third one's `d` is by a constant, the others by the request's key. */
const PLACES = casesOf(import.meta.url).cases<readonly Rule[][]>('PLACES')

/** What the log tells of one request. */
type Event = {
  readonly place: number
  readonly key: string
  /** nginx's clock when it decided. */
  readonly now: number
  /** Level and text of the record about it. */
  readonly record: string | undefined
  /** The timer that it set: the wait of a delayed request, or that of the idle connection. */
  readonly timer: number
}

const IDLE = 75_000

describeNginx('the bucket in time', (program) => {
  const bench = benchFor(program)
  const hasDebugLog = program.built.includes('--with-debug')

  test.runIf(hasDebugLog).each([false, true])(
    'excess, waits and records are the same, dry run: %s',
    async (dryRun) => {
      const nginx = await bench.start((port) => server(port, dryRun), { logLevel: 'debug' })
      const agent = new Agent({ keepAlive: true, maxSockets: 20 })
      const requests = fc.sample(
        fc.record({ place: fc.nat({ max: 3 }), key: fc.nat({ max: 2 }), gap: fc.nat({ max: 9 }) }),
        500,
      )
      const answers: Promise<unknown>[] = []
      for (const { place, key, gap } of requests) {
        answers.push(statusOf(nginx.port, `/${place}?k=key${key}`, agent))
        if (gap > 5) await pause(gap)
      }
      await Promise.all(answers)
      await expect.poll(() => readEvents(nginx.log())).toHaveLength(requests.length)
      agent.destroy()
      compare(readEvents(nginx.log()), dryRun)
    },
    60_000,
  )
})

function compare(events: readonly Event[], dryRun: boolean): void {
  const zones = Object.fromEntries(
    Object.entries(RATES).map(([name, rate]) => {
      const parsed = parseRate(rate)
      return [name, createZone({ name, rate: parsed?.thousandths ?? 0 })]
    }),
  )
  const outcomes = new Set<string>()
  for (const [index, { place, key, now, record, timer }] of events.entries()) {
    const rules = PLACES[place] ?? []
    const limits = rules.flatMap(({ zone, ...rule }) => {
      const found = zones[zone]
      return found ? [createLimit(found, rule)] : []
    })
    const keys = rules.map(({ zone }) => (zone === 'd' ? 'constant' : key))
    const decision = decide(limits, keys, now, dryRun)
    const own = recordOf(decision, 'error')
    outcomes.add(decision.outcome)
    expect({ index, record, timer }).toEqual({
      index,
      record: own && `${own.level} ${own.text}`,
      timer: decision.outcome === 'DELAYED' ? decision.wait : IDLE,
    })
  }
  expect([...outcomes].sort()).toEqual(
    dryRun ? ['DELAYED_DRY_RUN', 'PASSED', 'REJECTED_DRY_RUN'] : ['DELAYED', 'PASSED', 'REJECTED'],
  )
}

const LINE =
  / \[(\w+)\] \S+ \*(\d+) (?:http request line: "GET \/(\d)\?k=(\w+)|((?:limiting|delaying) .*?), client:|event timer add: \d+: (\d+):(\d+))/

/** Follows each connection from a request line over a record, if any, to the next timer. */
function readEvents(log: string): readonly Event[] {
  const open = new Map<string, { place: number; key: string; record?: string }>()
  const events: Event[] = []
  for (const line of log.split('\n')) {
    const [, level, connection = '', place, key = '', record, timer, expires] = LINE.exec(line) ?? []
    const request = open.get(connection)
    if (place !== undefined) open.set(connection, { place: Number(place), key })
    else if (record !== undefined && request) request.record = `${level} ${record}`
    else if (timer !== undefined && request) {
      const now = Number(expires) - Number(timer)
      events.push({ place: request.place, key: request.key, now, record: request.record, timer: Number(timer) })
      open.delete(connection)
    }
  }
  return events
}

function server(port: number, dryRun: boolean): string {
  const zones = Object.entries(RATES).map(
    ([name, rate]) => `limit_req_zone ${name === 'd' ? 'constant' : '$arg_k'} zone=${name}:64k rate=${rate};`,
  )
  const places = PLACES.map((rules, index) => {
    const limits = rules.map(({ zone, ...rule }) => `limit_req zone=${zone} ${limitParameters(rule).join(' ')};`)
    return `location /${index} { ${limits.join(' ')} try_files /none =204; }`
  })
  const common = `listen 127.0.0.1:${port}; keepalive_timeout 75; keepalive_requests 100000; limit_req_dry_run ${dryRun ? 'on' : 'off'};`
  return [...zones, `server { ${common}`, ...places, '}'].join('\n')
}
