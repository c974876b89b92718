import { beforeEach, describe, expect, test } from 'vitest'
import type { Clock } from '../../src/cluster/client/clock.ts'
import { createQueue, type Queue } from '../../src/controller/queue.ts'
import type { StatusWrite } from '../../src/controller/write.ts'

let now = 0
let timers: { at: number; call: () => void }[] = []
const clock: Clock = {
  now: () => now,
  random: () => 0,
  after(milliseconds, call) {
    const timer = { at: now + milliseconds, call }
    timers.push(timer)
    return () => {
      timers = timers.filter((other) => other !== timer)
    }
  },
}

/** Moves the clock to the next timer. */
function next(): void {
  const [first] = timers.sort((a, b) => a.at - b.at)
  if (!first) throw new Error('nothing waits')
  timers = timers.filter((other) => other !== first)
  now = first.at
  first.call()
}

const write = (name: string, basedOn = '1'): StatusWrite => ({
  key: `Gateway/shop/${name}`,
  about: { apiVersion: 'gateway.networking.k8s.io/v1', kind: 'Gateway', namespace: 'shop', name },
  basedOn,
  change: { kind: 'apply', status: {} },
  warnings: [],
})

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

let performed: string[] = []
let again = 0
let answer: (write: StatusWrite) => Promise<void>
let mayWrite = true
let queue: Queue

beforeEach(() => {
  now = 1_000_000
  timers = []
  performed = []
  again = 0
  mayWrite = true
  answer = async () => undefined
  queue = createQueue({
    clock,
    mayWrite: () => mayWrite,
    perform(one) {
      performed.push(`${one.about.name}@${one.basedOn}`)
      return answer(one)
    },
    written: () => undefined,
    failed: () => undefined,
    again: () => {
      again++
    },
  })
})

const refusing = (statusCode: number) => async () => {
  throw Object.assign(new Error('refused'), { statusCode })
}

describe('a queue of writes', () => {
  test('makes the newest of what waits, eight at a time, and asks again when all are made', async () => {
    let go = (): void => undefined
    answer = () => new Promise((resolve) => (go = resolve))
    queue.offer(Array.from({ length: 9 }, (_, index) => write(`w${index}`)))
    expect(performed.length).toBe(8)
    expect(queue.size()).toBe(9)
    queue.offer([write('w8', '2')])
    answer = async () => undefined
    go()
    await settled()
    expect(performed.at(-1)).toBe('w8@2')
    expect(again).toBe(0)
  })

  test('makes none without leave, and those that are left out of an offer no more', async () => {
    mayWrite = false
    queue.offer([write('a'), write('b')])
    mayWrite = true
    queue.offer([write('b')])
    await settled()
    expect(performed).toEqual(['b@1'])
    expect(again).toBe(1)
  })

  test('does not make a write again whose result it has not seen yet', async () => {
    queue.offer([write('a')])
    await settled()
    queue.offer([write('a')])
    expect(performed).toEqual(['a@1'])
    queue.offer([write('a', '2')])
    expect(performed).toEqual(['a@1', 'a@2'])
  })

  test.each([409, 404])('after a %d tries the next version at once, and the same one later', async (code) => {
    answer = refusing(code)
    queue.offer([write('a')])
    await settled()
    queue.offer([write('a')])
    expect(performed).toEqual(['a@1'])
    queue.offer([write('a', '2')])
    expect(performed).toEqual(['a@1', 'a@2'])
  })

  test.each([403, 422, 429, 500, 503])('after a %d waits twice as long each time, whatever comes', async (code) => {
    answer = refusing(code)
    const waits: number[] = []
    for (let round = 0; round < 13; round++) {
      queue.offer([write('a', String(round))])
      await settled()
      expect(performed.length).toBe(round + 1)
      queue.offer([write('a', `${round}+`)])
      const before = now
      next()
      waits.push(now - before)
    }
    expect(waits.slice(0, 4)).toEqual([250, 500, 1000, 2000])
    expect(waits.slice(-2)).toEqual([300_000, 300_000])
  })

  test('writes ever more slowly where somebody keeps undoing it, and at once again after a minute of peace', async () => {
    const waits: number[] = []
    for (let version = 0; version < 20; version++) {
      queue.offer([write('a', String(version))])
      await settled()
      if (performed.at(-1) === `a@${version}`) continue
      const before = now
      next()
      waits.push(now - before)
      queue.offer([write('a', String(version))])
      await settled()
      expect(performed.at(-1)).toBe(`a@${version}`)
    }
    expect(waits.slice(0, 3)).toEqual([250, 500, 1000])
    now += 400_000
    queue.offer([write('a', 'later')])
    expect(performed.at(-1)).toBe('a@later')
  })

  test('ends when the writes have ended that have begun, and begins no other', async () => {
    const ends: (() => void)[] = []
    answer = () => new Promise((resolve) => void ends.push(resolve))
    queue.offer(Array.from({ length: 10 }, (_, index) => write(`w${index}`)))
    let isStopped = false
    const stopped = queue.stop().then(() => {
      isStopped = true
    })
    await settled()
    expect(isStopped).toBe(false)
    for (const end of ends) end()
    await stopped
    expect(performed.length).toBe(8)
  })
})
