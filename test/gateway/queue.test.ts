import { describe, expect, it } from 'vitest'
import { queueOf, waiting } from '../../src/gateway/effective/bucket.ts'
import { limitOf } from './policies.ts'

describe('the queue of a limit', () => {
  it.each([
    [{}, { burst: 0, delay: undefined, noDelay: false }, 0],
    [{ burst: null, delay: null, noDelay: null }, { burst: 0, delay: undefined, noDelay: false }, 0],
    [{ burst: 20 }, { burst: 20, delay: undefined, noDelay: false }, 20],
    [{ burst: 20, delay: 0 }, { burst: 20, delay: 0, noDelay: false }, 20],
    [{ burst: 20, delay: 8 }, { burst: 20, delay: 8, noDelay: false }, 12],
    [{ burst: 8, delay: 20 }, { burst: 8, delay: 20, noDelay: false }, 0],
    [{ burst: 20, noDelay: true }, { burst: 20, delay: undefined, noDelay: true }, 0],
    [{ burst: 2_147_483_647 }, { burst: 2_147_483_647, delay: undefined, noDelay: false }, 2_147_483_647],
  ])('of %j is %j, where %i can wait', (fields, queue, count) => {
    const read = queueOf(limitOf(fields))
    expect(read).toEqual(queue)
    expect(read && waiting(read)).toBe(count)
  })

  it.each([
    { burst: '20' },
    { burst: -1 },
    { burst: 1.5 },
    { burst: 2_147_483_648 },
    { burst: true },
    { burst: 20, delay: -1 },
    { burst: 20, delay: {} },
    { burst: 20, noDelay: 'yes' },
  ])('of %j cannot be told', (fields) => expect(queueOf(limitOf(fields))).toBeUndefined())
})
