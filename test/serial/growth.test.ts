import { expect, it } from 'vitest'
import { growth } from './growth.ts'

const pairs = (size: number) => () => {
  let sum = 0
  for (let a = 0; a < size; a++) for (let b = 0; b < size; b++) sum += a ^ b
  return sum
}

it('tells linear work from quadratic work', () => {
  expect(growth((size) => pairs(Math.sqrt(size)), 250_000)).toBeLessThan(6)
  expect(growth(pairs, 500)).toBeGreaterThan(10)
})
