import { expect, it } from 'vitest'
import { zoneName } from '../../src/limits/zone.ts'

it('a zone is named after namespace, policy and index', () => {
  expect(zoneName('shop', 'coffee', 0)).toBe('shop_rl_coffee_rule0')
  expect(zoneName('shop', 'coffee-v1.2', 11)).toBe('shop_rl_coffee-v1.2_rule11')
})

it('a zone with a key has the same name for the same key, and another one for another key or position', () => {
  const name = (key: string, index = 0) => zoneName('shop', 'coffee', index, key)
  expect(name('$binary_remote_addr')).toMatch(/^shop_rl_coffee_rule0_[0-9a-f]{16}$/)
  expect(name('$uri')).toBe(name('$uri'))
  const keys = ['$uri', '$URI', '$host', '$host$uri', '$uri$host', '', 'a', 'é']
  expect(new Set(keys.flatMap((key) => [name(key), name(key, 1)])).size).toBe(keys.length * 2)
})
