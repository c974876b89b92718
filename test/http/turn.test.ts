import { describe, expect, it } from 'vitest'
import { createQueue, endOfTurn } from '../../src/http/turn.ts'

describe('the end of a turn', () => {
  it('comes for all who wait at once, after everything that was already due', async () => {
    const happened: string[] = []
    const wait = async (who: string) => {
      await endOfTurn()
      happened.push(who)
    }
    const due = Promise.resolve().then(() => happened.push('due'))
    await Promise.all([wait('first'), wait('second'), due])
    expect(happened).toEqual(['due', 'first', 'second'])
  })

  it('is another one for who asks later', async () => {
    const first = endOfTurn()
    expect(endOfTurn()).toBe(first)
    await first
    expect(endOfTurn()).not.toBe(first)
  })
})

it('a queue begins work when that before it has ended, well or not', async () => {
  const inQueue = createQueue()
  const happened: string[] = []
  const work = (name: string, fails: boolean) => async () => {
    happened.push(`${name} begins`)
    await endOfTurn()
    happened.push(`${name} ends`)
    if (fails) throw new Error(name)
    return name
  }
  const results = await Promise.allSettled([inQueue(work('first', true)), inQueue(work('second', false))])
  expect(happened).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  expect(results).toMatchObject([{ status: 'rejected' }, { status: 'fulfilled', value: 'second' }])
})
