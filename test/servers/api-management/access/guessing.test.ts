/** Whoever guesses passwords must wait. The clock is a number. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { HttpError } from '../../../../src/http/http-error.ts'
import { createGuessing } from '../../../../src/servers/api-management/access/guessing.ts'

const DAY = 24 * 60 * 60 * 1000

function start() {
  const clock = { now: 0 }
  const guessing = createGuessing(() => clock.now)
  /** Seconds to wait; 0 where the attempt was made. */
  const attempt = (user: string, address: string, isRight = false): number => {
    try {
      guessing.begin(user, address).end(isRight)
      return 0
    } catch (error) {
      return (error as HttpError).options.retryAfter ?? Number.NaN
    }
  }
  return { clock, guessing, attempt }
}

describe('wrong passwords', () => {
  it('are free five times, and cost twice as much time each time after that, up to a minute', () => {
    const { clock, attempt } = start()
    for (let count = 0; count < 5; count += 1) expect(attempt('ada', '10.0.0.1')).toBe(0)
    for (const wait of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(attempt('ada', '10.0.0.1')).toBe(wait)
      clock.now += wait * 1000 - 1
      expect(attempt('ada', '10.0.0.1')).toBe(1)
      clock.now += 1
      expect(attempt('ada', '10.0.0.1')).toBe(0)
    }
  })

  it('are forgotten after a quarter of an hour, and after the right one', () => {
    const { clock, attempt } = start()
    for (let count = 0; count < 5; count += 1) attempt('ada', '10.0.0.1')
    expect(attempt('ada', '10.0.0.1')).toBe(1)
    clock.now += 15 * 60_000
    for (let count = 0; count < 4; count += 1) expect(attempt('ada', '10.0.0.1')).toBe(0)
    expect(attempt('ada', '10.0.0.1', true)).toBe(0)
    for (let count = 0; count < 5; count += 1) expect(attempt('ada', '10.0.0.1')).toBe(0)
    expect(attempt('ada', '10.0.0.1')).toBe(1)
  })

  it('of one address for many users make it wait, also after a login of its own', () => {
    const { attempt } = start()
    for (let count = 0; count < 50; count += 1) {
      expect(attempt(`user-${count}`, '10.0.0.1')).toBe(0)
      attempt('mallory', '10.0.0.1', true)
    }
    expect(attempt('another', '10.0.0.1')).toBe(1)
    expect(attempt('another', '10.0.0.2')).toBe(0)
  })

  it('that are sent at once are not checked at once', () => {
    const { guessing } = start()
    const attempts = Array.from({ length: 5 }, () => guessing.begin('ada', '10.0.0.1'))
    expect(() => guessing.begin('ada', '10.0.0.1')).toThrow('too many wrong passwords')
    for (const { end } of attempts) end(undefined)
    expect(() => guessing.begin('ada', '10.0.0.1')).not.toThrow()
  })

  it.each([
    ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::9'],
    ['2001:db8::1', '2001:db8:0:0:1::'],
    ['::1', '0:0:0:0:5:6:7:8'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
  ])('from %s count for %s', (one, other) => {
    const { attempt } = start()
    for (let count = 0; count < 5; count += 1) attempt('ada', one)
    expect(attempt('ada', other)).toBe(1)
    expect(attempt('ada', '2001:db8:1:3::1')).toBe(0)
  })
})

describe('as properties', () => {
  it('an address makes at most so many attempts for one user in a time, whatever it does', () => {
    const waits = fc.array(fc.nat(120_000), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(waits, (pauses) => {
        const { clock, attempt } = start()
        let made = 0
        for (const pause of pauses) {
          // Pauses shorter than after which all is forgotten.
          clock.now += pause
          if (attempt('ada', '10.0.0.1') === 0) made += 1
        }
        // The waits of 1, 2, 4, … 32 seconds, then minutes.
        expect(made).toBeLessThanOrEqual(5 + 6 + 1 + clock.now / 60_000)
      }),
    )
  })

  it('others at other addresses hinder nobody, whatever they send for him', () => {
    const others = fc.array(fc.tuple(fc.constantFrom('ada', 'bob'), fc.nat(200), fc.nat(DAY / 100)), { maxLength: 500 })
    fc.assert(
      fc.property(others, (sent) => {
        const { clock, attempt } = start()
        for (const [user, host, pause] of sent) {
          clock.now += pause
          attempt(user, `10.0.1.${host}`)
          expect(attempt('ada', '10.0.0.1', true)).toBe(0)
        }
      }),
    )
  })

  it('many addresses take as much memory as some, and only make the checks for a user less urgent', () => {
    const { guessing, attempt } = start()
    for (let host = 0; host < 30_000; host += 1) attempt('ada', `10.${host >> 16}.${(host >> 8) & 255}.${host & 255}`)
    expect(guessing.begin('ada', '192.0.2.1').rank).toBe(2)
    expect(guessing.begin('bob', '192.0.2.1').rank).toBe(1)
  })
})
