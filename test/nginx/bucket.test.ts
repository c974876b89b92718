import { Agent } from 'node:http'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseRate } from '../../src/limits/rate.ts'
import { keysHeld } from '../../src/nginx/memory.ts'
import { createLimit, createZone, decide } from './bucket.ts'
import { statusOf } from './requests.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

/** A zone with a rate as in a policy. */
function zoneOf(rate: string, capacity?: number, name = 'zone') {
  const parsed = parseRate(rate)
  if (!parsed) throw new Error(`${rate} is not a valid rate`)
  return createZone({ name, rate: parsed.thousandths, ...(capacity === undefined ? {} : { capacity }) })
}

type Rule = Parameters<typeof createLimit>[1]

/** Decides requests of one key at the given times against one limit: `204`, or `204+250` after a wait, or `503`. */
function run(rate: string, rule: Rule, times: readonly number[], dryRun = false): readonly string[] {
  const limits = [createLimit(zoneOf(rate), rule)]
  return times.map((now) => {
    const { outcome, wait } = decide(limits, ['k'], now, dryRun)
    return outcome === 'PASSED' ? 'pass' : outcome.startsWith('REJECTED') ? `${outcome}` : `${outcome} ${wait}`
  })
}

describe('one limit', () => {
  test('the first request of a key passes, the next only when its time has come', () => {
    expect(run('1r/s', {}, [0, 999, 1000, 1999, 2000])).toEqual(['pass', 'REJECTED', 'pass', 'REJECTED', 'pass'])
  })
  test('a burst is queued: each waits until the rate allows it', () => {
    expect(run('10r/s', { burst: 2 }, [0, 0, 0, 0])).toEqual(['pass', 'DELAYED 100', 'DELAYED 200', 'REJECTED'])
  })
  test('noDelay passes the burst at once, and fills the bucket nevertheless', () => {
    expect(run('10r/s', { burst: 2, noDelay: true }, [0, 0, 0, 0, 100, 100])).toEqual([
      'pass',
      'pass',
      'pass',
      'REJECTED',
      'pass',
      'REJECTED',
    ])
  })
  test('delay passes as many excess requests at once', () => {
    expect(run('10r/s', { burst: 3, delay: 1 }, [0, 0, 0, 0, 0])).toEqual([
      'pass',
      'pass',
      'DELAYED 100',
      'DELAYED 200',
      'REJECTED',
    ])
  })
  test('1r/m is 16 thousandths a second: one request per 62.5 seconds', () => {
    expect(run('1r/m', {}, [0, 60_000, 62_499, 62_500])).toEqual(['pass', 'REJECTED', 'REJECTED', 'pass'])
  })
  test('above 1000r/s two requests of one millisecond do not both pass', () => {
    expect(run('5000r/s', {}, [0, 0, 1])).toEqual(['pass', 'REJECTED', 'pass'])
  })
  test('a dry run fills the bucket and delays no request', () => {
    expect(run('10r/s', { burst: 1 }, [0, 0, 0, 200], true)).toEqual([
      'pass',
      'DELAYED_DRY_RUN 100',
      'REJECTED_DRY_RUN',
      'pass',
    ])
  })
  test('a clock that goes back counts as unchanged for up to a minute, and as one millisecond beyond', () => {
    expect(run('1000r/s', {}, [100_000, 99_999, 40_000, 39_999])).toEqual(['pass', 'REJECTED', 'REJECTED', 'pass'])
  })
  test('a request on a clock that went back keeps the time of the one before', () => {
    expect(run('1000r/s', { burst: 1, noDelay: true }, [100, 99, 101, 101])).toEqual([
      'pass',
      'pass',
      'pass',
      'REJECTED',
    ])
  })
  test('an empty key is not limited, nor is one of more than 65,535 bytes', () => {
    const limits = [createLimit(zoneOf('1r/m'))]
    for (const key of ['', 'k'.repeat(65_536), 'é'.repeat(32_768)]) {
      expect([0, 0].map(() => decide(limits, [key], 0).outcome)).toEqual(['PASSED', 'PASSED'])
    }
    const longest = ['k'.repeat(65_535)]
    expect([0, 0].map(() => decide(limits, longest, 0).outcome)).toEqual(['PASSED', 'REJECTED'])
  })
})

describe('several limits of one location', () => {
  test('a request that one of them rejects is counted in none', () => {
    const wide = createLimit(zoneOf('10r/s', undefined, 'wide'), { burst: 1, noDelay: true })
    const tight = createLimit(zoneOf('1r/m', undefined, 'tight'))
    const at = (now: number) => decide([wide, tight], ['k', 'k'], now)
    expect(at(0).outcome).toBe('PASSED')
    expect([at(0), at(0), at(0)].map(({ limit }) => limit?.zone.name)).toEqual(['tight', 'tight', 'tight'])
    expect(decide([wide], ['k'], 0).outcome).toBe('PASSED')
  })
  test('the longest wait counts; of equal ones the last directive', () => {
    const limits = ['a', 'b', 'c'].map((name) =>
      createLimit(zoneOf(name === 'c' ? '20r/s' : '10r/s', 9, name), { burst: 5 }),
    )
    const keys = ['k', 'k', 'k']
    decide(limits, keys, 0)
    expect(decide(limits, keys, 0)).toMatchObject({
      outcome: 'DELAYED',
      wait: 100,
      excess: 1000,
      limit: { zone: { name: 'b' } },
    })
  })
  test('a limit with an empty key is skipped', () => {
    const [left, right] = [createLimit(zoneOf('1r/s')), createLimit(zoneOf('1r/s'))]
    expect([0, 0].map((now) => decide([left, right], ['k', ''], now).outcome)).toEqual(['PASSED', 'REJECTED'])
    expect(right.zone.entries.size).toBe(0)
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

test('over any time no more pass than burst, rate and the first request allow', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 })
  const property = fc.property(
    steps,
    fc.integer({ min: 1, max: 50 }),
    fc.integer({ min: 0, max: 9 }),
    (gaps, perSecond, burst) => {
      const limits = [createLimit(zoneOf(`${perSecond}r/s`), { burst, noDelay: true })]
      let now = 0
      let passed = 0
      for (const gap of gaps) {
        now += gap
        if (decide(limits, ['k'], now).outcome === 'PASSED') passed += 1
      }
      expect(passed).toBeLessThanOrEqual(1 + burst + (perSecond * now) / 1000)
    },
  )
  fc.assert(property)
})

/** Two small zones and the ways in which locations limit by them; at 1r/m time does not matter to a short test. */
const PLACES = [
  [{ zone: 'a', burst: 2 }],
  [{ zone: 'b', burst: 0 }],
  [
    { zone: 'a', burst: 1 },
    { zone: 'b', burst: 3 },
  ],
  [
    { zone: 'b', burst: 4 },
    { zone: 'a', burst: 0 },
  ],
] as const

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
