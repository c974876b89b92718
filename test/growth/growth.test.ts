import { expect, it } from 'vitest'
import { expectLinear } from './growth.ts'

const pairs = (size: number) => () => {
  let sum = 0
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) sum += a ^ b
  return sum
}

it('distinguishes linear work from quadratic work', () => {
  expectLinear((size) => pairs(Math.sqrt(size)), 10_000)
  expect(() => expectLinear(pairs, 100)).toThrow('so many times as much')
})
