import { Agent } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRate } from '../../src/limits/rate.ts'
import { keysHeld } from '../../src/nginx/memory.ts'
import { casesOf } from '../support/cases.ts'
import { createLimit, createZone, decide } from './bucket.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const { cases, each } = casesOf(import.meta.url)

/** A zone with a rate as in a policy. */
function zoneOf(rate: string, capacity?: number, name = 'zone') {
  const parsed = parseRate(rate)
  if (!parsed) throw new Error(`${rate} is not a valid rate`)
  return createZone({ name, rate: parsed.thousandths, ...(capacity === undefined ? {} : { capacity }) })
}

describe('one limit', () => {
  each<[string, string, number, number[], string]>('one limit: %s', (_, rate, burst, ...[times, passed]) => {
    const limits = [createLimit(zoneOf(rate), { burst, noDelay: true })]
    const outcomes = times.map((now) => (decide(limits, ['k'], now).outcome === 'PASSED' ? 'yes' : 'no'))
    expect(outcomes.join(' ')).toBe(passed)
  })
  test('an empty key is not limited, nor is one of more than 65,535 bytes', () => {
    const limits = [createLimit(zoneOf('1r/m'))]
    for (const key of ['', 'k'.repeat(65_536), 'é'.repeat(32_768)])
      expect([0, 0].map(() => decide(limits, [key], 0).outcome)).toEqual(['PASSED', 'PASSED'])
    const longest = ['k'.repeat(65_535)]
    expect([0, 0].map(() => decide(limits, longest, 0).outcome)).toEqual(['PASSED', 'REJECTED'])
  })
})

describe('a zone of limited memory', () => {
  const known = (zone: ReturnType<typeof zoneOf>) => [...zone.entries.keys()].sort().join('')
  const ask = (zone: ReturnType<typeof zoneOf>, keys: string, now = 0) => {
    for (const key of keys) decide([createLimit(zone)], [key], now)
    return known(zone)
  }
  test('removes the least recently used key; rejected requests count as use', () => {
    const zone = zoneOf('1r/m', 3)
    expect([ask(zone, 'abc'), ask(zone, 'a'), ask(zone, 'd')]).toEqual(['abc', 'abc', 'acd'])
  })
  test('each new key removes up to two that are empty and unused for a minute', () => {
    const zone = zoneOf('1r/s', 9)
    expect([ask(zone, 'abcd'), ask(zone, 'e', 59_999), ask(zone, 'f', 60_000)]).toEqual(['abcd', 'abcde', 'cdef'])
  })
  test('a key that is not empty yet is kept, and those that were used after it', () => {
    const zone = zoneOf('1r/m', 9)
    const limits = [createLimit(zone, { burst: 5, noDelay: true })]
    for (const key of ['a', 'a', 'a', 'b']) decide(limits, [key], 0)
    expect(ask(zone, 'c', 70_000)).toBe('abc')
  })
})

/** Two small zones and the ways in which locations limit by them; at 1r/m time does not matter to a short test. */
const PLACES = cases<{ zone: 'a' | 'b'; burst: number }[][]>('PLACES')

describeNginx('the bucket and the real one', (program) => {
  const bench = benchFor(program)

  test('decide alike, over hundreds of requests with evictions', async () => {
    const keyBytes = 1000
    const { port } = await bench.start(server)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const capacity = keysHeld({ zoneBytes: 32 * 1024, keyBytes, pageSize: 4096, nameBytes: 1 })
    const zones = { a: zoneOf('1r/m', capacity), b: zoneOf('1r/m', capacity) }
    const numbers = fc.sample(fc.tuple(fc.nat({ max: 3 }), fc.nat({ max: 13 }), fc.nat({ max: 13 })), {
      numRuns: 600,
      seed: 7,
    })
    for (const [index, [place, left, right]] of numbers.entries()) {
      const values = {
        a: left === 0 ? '' : String(left).padStart(keyBytes, 'k'),
        b: String(right).padStart(keyBytes, 'k'),
      }
      const rules = PLACES[place] ?? []
      const limits = rules.map(({ zone, burst }) => createLimit(zones[zone], { burst, noDelay: true }))
      const { outcome } = decide(
        limits,
        rules.map(({ zone }) => values[zone]),
        0,
      )
      const status = await statusOf(port, `/${place}?a=${values.a}&b=${values.b}`, agent)
      expect([index, status]).toEqual([index, outcome === 'PASSED' ? 204 : 503])
    }
    agent.destroy()
  })
})

function server(port: number): string {
  const places = PLACES.map((rules, index) => {
    const directives = rules.map(
      ({ zone, burst }) => `limit_req zone=${zone} ${burst ? `burst=${burst}` : ''} nodelay;`,
    )
    return `location /${index} { ${directives.join(' ')} try_files /none =204; }`
  })
  const zones = ['a', 'b'].map((name) => `limit_req_zone $arg_${name} zone=${name}:32k rate=1r/m;`)
  return [...zones, `server { keepalive_requests 100000; listen 127.0.0.1:${port};`, ...places, '}'].join('\n')
}
