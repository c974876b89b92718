/** The licences of the packages that the bundles contain. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

/** Names and licences of the packages whose texts are shipped. */
const listed = new Map(
  [...read('dist/THIRD-PARTY-LICENSES.txt').matchAll(/(?:^|\n-{80}\n\n)(\S+) \d\S* \((.+)\)\n/g)].map(
    ([, name, licence]) => [name, licence],
  ),
)

it.each(['dist/browser.mjs', 'src/settings/validate.mjs', 'src/gateway/schema/validate.mjs'])(
  'has the text of the licence of every package in %s',
  (file) => {
    const names = [...read(file).matchAll(/^\s*\/\/ node_modules\/((?:@[^/]+\/)?[^/]+)\//gm)].map(([, name]) => name)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !listed.has(name))).toEqual([])
  },
)

it('ships no package whose licence asks for more than its text', () => {
  const allowed = /^(?:0BSD|Apache-2\.0|BlueOak-1\.0\.0|BSD-[23]-Clause|ISC|MIT)$/
  expect([...listed].filter(([, licence = '']) => !allowed.test(licence))).toEqual([])
  expect([...listed.keys()]).toEqual(expect.arrayContaining(['ajv', 'js-yaml', '@kubernetes/client-node']))
})
