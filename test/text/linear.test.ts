/** The language of Go's expressions; how long they take is in `test/growth/reading.test.ts`. */
import { expect, it } from 'vitest'
import { compileLinear } from '../../src/text/linear.ts'

it.each<[expression: string, matching: string, other: string]>([
  ['^(?:cafe-.*)$', 'cafe-a', 'my-cafe-a'],
  ['^a\\z', 'a', 'a\n'],
  ['^[[:word:]]+$', 'a_1', '-'],
  ['^(?P<name>a|b){2,3}$', 'aba', 'a'],
  ['(?i)KIND', 'kind', 'king'],
])('%s matches %j and not %j', (expression, matching, other) => {
  const pattern = compileLinear(expression)
  expect([pattern?.test(matching), pattern?.test(other)]).toEqual([true, false])
})

it.each(['(', '(?=a)', '(a)\\1', '(?>a)', 'a++', 'a{1001}', '(?:(?:a{9}){9}){9}'.repeat(30)])(
  '%s is not compiled',
  (expression) => expect(compileLinear(expression)).toBeUndefined(),
)
