/** Passwords: who is accepted, at what cost, and who is not kept out. Real hashes, cheap ones. */
import { describe, expect, it } from 'vitest'
import { createPasswordCheck, createWorkQueue } from '../../../../src/servers/api-management/access/password-check.ts'
import {
  DEFAULT_COST,
  hashPassword,
  passwordProblem,
  randomPassword,
  unmatchedHash,
  verifyPassword,
} from '../../../../src/servers/api-management/access/passwords.ts'
import type { User } from '../../../../src/store/store.ts'
import { casesOf } from '../../../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

const CHEAP = { ln: 4, r: 1, p: 1 }
const RIGHT = 'correct horse battery'

async function start(cost = CHEAP) {
  const clock = { now: 0 }
  const users = new Map<string, User>()
  const put = async (name: string, password: string) => {
    const passwordHash = await hashPassword(password, cost)
    users.set(name, { name, roles: ['reader'], passwordHash, mustChangePassword: false, revision: 1 })
  }
  for (const name of ['ada', 'bob']) await put(name, RIGHT)
  const passwords = createPasswordCheck({
    store: { user: async (name) => users.get(name) },
    now: () => clock.now,
    cost,
  })
  /** The name, undefined, or a status. */
  const login = (user: string, password: string, address = '10.0.0.1') =>
    passwords.check({ user, password, address }).then(
      (found) => found?.name,
      ({ status }) => status,
    )
  let guesses = 0
  const guess = async (user: string, count: number, address = '10.0.0.1') => {
    const results: unknown[] = []
    for (const end = guesses + count; guesses < end; guesses += 1)
      results.push(await login(user, `guess ${guesses}`, address))
    return results
  }
  return { clock, users, put, passwords, login, guess }
}

describe('a password', () => {
  it('is hashed with its parameters and a salt of its own', async () => {
    const [one, other] = await Promise.all([hashPassword(RIGHT), hashPassword(RIGHT)])
    expect(one).toMatch(/^\$scrypt\$ln=15,r=8,p=3\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    expect(one).not.toBe(other)
    expect(await verifyPassword(RIGHT, one)).toBe(true)
    expect(await verifyPassword(`${RIGHT}.`, one)).toBe(false)
  })

  it('is verified with the parameters of its hash, also when new hashes have others', async () => {
    expect(await verifyPassword(RIGHT, await hashPassword(RIGHT, { ln: 5, r: 2, p: 2 }))).toBe(true)
    await expect(verifyPassword(RIGHT, '$argon2id$x')).rejects.toThrow('unknown form')
  })

  it('is the same in every form of Unicode', async () => {
    expect(await verifyPassword('Zu\u0308rich-1234', await hashPassword('Z\u00fcrich-1234', CHEAP))).toBe(true)
  })

  it('of nobody costs as much as that of somebody', async () => {
    expect(unmatchedHash(DEFAULT_COST).replace(/\$[^$]+\$[^$]+$/, '')).toBe('$scrypt$ln=15,r=8,p=3')
    expect(await verifyPassword(RIGHT, unmatchedHash(CHEAP))).toBe(false)
  })

  each<[string, string, string?]>('with %s is judged', (_, password, problem) => {
    const found = passwordProblem(password, 'administrator')
    if (problem === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(problem)
  })

  it('that is made is a good one', () => expect(passwordProblem(randomPassword(), 'administrator')).toBeUndefined())
})

describe('a check', () => {
  it('finds the user with the password, and nobody else', async () => {
    const { login } = await start()
    expect(await login('ada', RIGHT)).toBe('ada')
    for (const [user, password] of cases<[string, string][]>('users and passwords that nobody has'))
      expect(await login(user, password)).toBeUndefined()
  })

  it('never makes those wait who have logged in before, whatever is sent from the same address', async () => {
    const { clock, login, guess } = await start()
    expect(await login('ada', RIGHT)).toBe('ada')
    for (let hour = 0; hour < 24; hour += 1) {
      expect(await guess('ada', 10)).toContain(429)
      expect(await login('ada', RIGHT)).toBe('ada')
      expect(await login('ada', RIGHT, '10.9.9.9')).toBe('ada')
      clock.now += 3_600_000
    }
  })

  it('never makes those wait whose password was just changed', async () => {
    const { users, passwords, login, guess } = await start()
    await guess('ada', 10)
    const ada = users.get('ada')
    if (ada) users.set('ada', { ...ada, passwordHash: await passwords.hash('ada', 'another password') })
    expect(await login('ada', 'another password')).toBe('ada')
  })

  it('does not make others wait, at other addresses, for a first login', async () => {
    const { login, guess } = await start()
    for (let host = 0; host < 20; host += 1) await guess('ada', 6, `10.0.1.${host}`)
    expect(await login('ada', RIGHT)).toBe('ada')
  })

  it('says the same of users that there are and that there are not', async () => {
    const { guess } = await start()
    expect(await guess('ada', 8, '10.0.0.1')).toEqual(await guess('nobody', 8, '10.0.0.2'))
  })

  it('of two hundred logins at once is one for the same user, and some at a time for others', async () => {
    const { login, put } = await start({ ln: 10, r: 8, p: 1 })
    const same = Array.from({ length: 200 }, () => login('ada', RIGHT))
    expect(new Set(await Promise.all(same))).toEqual(new Set(['ada']))
    const names = Array.from({ length: 200 }, (_, index) => `user-${index}`)
    for (const name of names) await put(name, RIGHT)
    expect(await Promise.all(names.map((name) => login(name, RIGHT)))).toEqual(names)
  })
})

describe('the queue', () => {
  it('does some at a time, what is urgent first', async () => {
    const queue = createWorkQueue({ parallel: 2, mostWaiting: 10, random: () => 0 })
    const order: string[] = []
    let running = 0
    const work = (name: string) => async () => {
      running += 1
      expect(running).toBeLessThanOrEqual(2)
      await new Promise(setImmediate)
      order.push(name)
      running -= 1
    }
    await Promise.all([
      queue(1, work('a')),
      queue(1, work('b')),
      queue(2, work('slow')),
      queue(1, work('c')),
      queue(0, work('urgent')),
    ])
    expect(order).toEqual(['a', 'b', 'urgent', 'c', 'slow'])
  })

  it('goes on after work that fails', async () => {
    const queue = createWorkQueue({ parallel: 1, mostWaiting: 10, random: () => 0 })
    await expect(queue(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
    expect(await queue(1, async () => 'yes')).toBe('yes')
  })

  it('refuses by chance among what is least urgent, also what waits already', async () => {
    for (const [chance, expected] of [
      [0, ['done', 'done', 503, 'done', 'done']],
      [0.5, ['done', 'done', 'done', 503, 'done']],
    ] as const) {
      const queue = createWorkQueue({ parallel: 1, mostWaiting: 3, random: () => chance })
      const sent = [1, 0, 2, 2, 1].map((rank) => queue(rank, async () => 'done').catch(({ status }) => status))
      expect(await Promise.all(sent)).toEqual(expected)
    }
  })
})
