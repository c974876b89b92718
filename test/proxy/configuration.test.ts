/** What a configuration must be so that a driver can put it into force: the contract of `compose`. */
import { expect, test } from 'vitest'
import { type ConfigurationFile, composeFiles } from '../../src/proxy/configuration.ts'

const MAIN = 'pid nginx.pid;\nerror_log error.log notice;\n'
const file = (name: string, text = ''): ConfigurationFile => ({ name, text })
const compose = (files: readonly ConfigurationFile[], forms: Iterable<readonly [string, string]> = []) =>
  composeFiles({ forms: new Map(), compose: () => files }, new Map(forms))

test.each([
  ['with other levels', [file('nginx.conf', '  pid  nginx.pid;\n\terror_log error.log\tinfo;\n')]],
  ['with folders', [file('nginx.conf', MAIN), file('policies/shop_coffee.conf'), file('a/b/c-1.~+@conf')]],
])('is taken %s', (_, files) => expect(compose(files)).toBe(files))

test.each<[files: readonly ConfigurationFile[], message: string]>([
  ...['', '.', '..', '../a', 'a/../b', 'a/', '/a', 'a//b', '.a', 'a/.b', 'a b', 'a\\b', 'a\n'].map(
    (name): [readonly ConfigurationFile[], string] => [
      [file('nginx.conf', MAIN), file(name)],
      `"${name}" cannot be the name of a file of the configuration`,
    ],
  ),
  [[file('nginx.conf', MAIN), file('a'), file('a')], 'two files of the configuration have the same name'],
  [[], 'nginx.conf needs "pid nginx.pid;"'],
  [[file('nginx.conf'), file('other.conf', MAIN)], 'nginx.conf needs "pid nginx.pid;"'],
  [[file('nginx.conf', 'error_log error.log notice;\n# pid nginx.pid;')], 'nginx.conf needs "pid nginx.pid;"'],
  [[file('nginx.conf', 'pid nginx.pid;')], 'nginx.conf needs "error_log error.log notice;"'],
  [[file('nginx.conf', 'pid nginx.pid;\nerror_log error.log warn;')], 'nginx.conf needs "error_log error.log notice;"'],
  [
    [file('nginx.conf', 'pid nginx.pid;\nxerror_log error.log info;')],
    'nginx.conf needs "error_log error.log notice;"',
  ],
])('is refused: %j', (files, message) => expect(() => compose(files)).toThrow(new Error(message)))

test('is made of the forms in the order of their names', () => {
  const seen: string[][] = []
  const wanted = {
    forms: new Map(),
    compose(forms: ReadonlyMap<string, string>) {
      seen.push([...forms.keys()])
      return [file('nginx.conf', MAIN)]
    },
  }
  composeFiles(
    wanted,
    new Map([
      ['b', ''],
      ['a', ''],
      ['c', ''],
    ]),
  )
  expect(seen).toEqual([['a', 'b', 'c']])
})
