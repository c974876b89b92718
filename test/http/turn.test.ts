import { describe, expect, it } from 'vitest'
import { endOfTurn } from '../../src/http/turn.ts'

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
