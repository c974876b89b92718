import { expect, it } from 'vitest'
import { createBodyBudget } from '../../src/http/body.ts'

const holderIn = (refused: string[], name: string) => ({ bytes: 0, refuse: () => void refused.push(name) })

it('refuses the largest body that still arrives, whichever came last', () => {
  const refused: string[] = []
  const budget = createBodyBudget(100)
  const [small, large, newest] = ['small', 'large', 'newest'].map((name) => holderIn(refused, name))
  if (!small || !large || !newest) throw new Error('three holders')
  budget.keep(small, 20)
  budget.keep(large, 70)
  budget.keep(newest, 20)
  expect(refused).toEqual(['large'])
  expect(budget.held()).toBe(40)
})

it('never refuses a body that is complete, and counts it until it is released', () => {
  const refused: string[] = []
  const budget = createBodyBudget(100)
  const [complete, other] = ['complete', 'other'].map((name) => holderIn(refused, name))
  if (!complete || !other) throw new Error('two holders')
  budget.keep(complete, 90)
  budget.finish(complete)
  budget.keep(other, 20)
  expect(refused).toEqual(['other'])
  expect(budget.held()).toBe(90)
  budget.release(complete)
  budget.release(complete)
  expect(budget.held()).toBe(0)
})
