/** What a configuration must be so that a driver can put it into force: the contract of `compose`. */
import { expect, test } from 'vitest'
import { type ConfigurationFile, composeFiles } from '../../src/proxy/configuration.ts'
import { casesOf } from '../support/cases.ts'

const { each } = casesOf(import.meta.url)

const MAIN = 'pid nginx.pid;\nerror_log error.log notice;\n'
const file = (name: string, text = ''): ConfigurationFile => ({ name, text })
const compose = (files: readonly ConfigurationFile[], forms: Iterable<readonly [string, string]> = []) =>
  composeFiles({ forms: new Map(), compose: () => files }, new Map(forms))

test.each([
  ['with other levels', [file('nginx.conf', '  pid  nginx.pid;\n\terror_log error.log\tinfo;\n')]],
  ['with folders', [file('nginx.conf', MAIN), file('policies/shop_coffee.conf'), file('a/b/c-1.~+@conf')]],
])('is taken %s', (_, files) => expect(compose(files)).toBe(files))

each<[files: Readonly<Record<string, string>> | readonly string[], message: string]>(
  'is refused: %j',
  (files, message) => {
    const made = Array.isArray(files) ? [file('nginx.conf', MAIN), ...files.map((name) => file(name))] : undefined
    const all = made ?? Object.entries(files).map(([name, text]) => file(name, text))
    expect(() => compose(all)).toThrow(new Error(message))
  },
)

test('is made of the forms in the order of their names', () => {
  const seen: string[][] = []
  const wanted = {
    forms: new Map(),
    compose(forms: ReadonlyMap<string, string>) {
      seen.push([...forms.keys()])
      return [file('nginx.conf', MAIN)]
    },
  }
  composeFiles(wanted, new Map(['b', 'a', 'c'].map((name) => [name, ''])))
  expect(seen).toEqual([['a', 'b', 'c']])
})
