import { expect, test } from 'vitest'
import { isSameZoneKey } from '../../src/nginx/memory.ts'
import { viewOf } from './errors.ts'
import { policyOf } from './policy-pairs.ts'
import { startReloading } from './reloads.ts'
import { writePolicy } from './rendered-policy.ts'
import { benchFor, describeNginx } from './with-nginx.ts'

const CASES: readonly (readonly [left: string, right: string, same: boolean])[] = [
  ['abc', 'abc', true],
  ['abc', 'abd', false],
  ['$uri', '$URI', false],
  ['a\0b', 'a\0c', true],
  ['a\0b', 'a\0cd', false],
  ['a\0b', 'b\0b', false],
  ['\0$uri', '\0:uri', true],
  ['a\0é', 'a\0bc', true],
  ['a\0é', 'a\0b', false],
  ['é', 'e\u0301', false],
  ['a\ud800', 'a\udc00', true],
  ['a\ud800', 'a\ufffd', true],
]

test.each(CASES)('%j and %j are the same key: %s', (left, right, same) => {
  expect([isSameZoneKey(left, right), isSameZoneKey(right, left)]).toEqual([same, same])
})

describeNginx('taking a zone over', (program) => {
  const bench = benchFor(program)

  test('the real nginx compares the same', async () => {
    const reloading = await startReloading(bench)
    for (const [left, right, same] of CASES) {
      const exchange = (key: string) => {
        const policy = policyOf('coffee', [{ key, rate: '1r/s', zoneSize: '32k' }])
        return reloading.exchange(writePolicy(viewOf(policy), program, bench.directory), 'any')
      }
      await exchange(left)
      expect([left, right, (await exchange(right)).taken]).toEqual([left, right, same])
      await reloading.exchange(undefined, 'none')
    }
  })
})
