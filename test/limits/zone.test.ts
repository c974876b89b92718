import { expect, it } from 'vitest'
import { zoneName } from '../../src/limits/zone.ts'

it('a zone is named after namespace, policy and index', () => {
  expect(zoneName('shop', 'coffee', 0)).toBe('shop_rl_coffee_rule0')
  expect(zoneName('shop', 'coffee-v1.2', 11)).toBe('shop_rl_coffee-v1.2_rule11')
})
