/** `sluice/browser` runs without Node, and its results are those of the library in Node and of the command line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { effective, lint, type Source } from '../../src/browser.ts'
import type { JsonObject } from '../../src/json/member.ts'
import { lint as runLint } from '../../src/lint/lint.ts'
import { readFixtures } from '../fixtures.ts'
import { runInBrowser } from '../in-browser.ts'
import { casesOf } from '../support/cases.ts'

const { cases } = casesOf(import.meta.url)

const PAGE = `
  import * as library from './src/browser.ts'
  globalThis.call = (name, json) => JSON.stringify(library[name](...JSON.parse(json)))`

let page: Record<string, unknown>
const call = (name: string, ...parameters: readonly unknown[]): unknown => {
  const run = page.call
  if (typeof run !== 'function') throw new Error('the page has no function call')
  return JSON.parse(run(name, JSON.stringify(parameters)))
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

beforeAll(async () => {
  page = await runInBrowser(PAGE)
})

it('reports every fixture as the command line does', () => {
  for (const { rule, name, text, previous, options, namespace } of readFixtures()) {
    const source = { file: `${rule}/${name}`, text, ...(namespace ? { namespace } : {}) }
    const run = { ...options, previous: previous === undefined ? [] : [{ ...source, text: previous }] }
    const { report } = runLint([source], run)
    const { today, ...given } = run
    const now = today === undefined ? {} : { now: `${today}T12:00:00Z` }
    expect(call('lint', [source], { ...given, ...now }), rule).toMatchObject({ ok: true, value: plain(report) })
  }
})

it('judges and fixes objects and texts', () => {
  const object = cases<JsonObject>('object')
  const sources: Source[] = [{ object }, { file: 'coffee.yaml', text: JSON.stringify(object) }]
  expect(call('lint', sources)).toMatchObject(cases<object>('judges and fixes objects and texts'))
  expect(call('fix', sources)).toMatchObject({
    value: { changed: [{ file: 'coffee.yaml', text: expect.stringContaining('"rate":"10r/s"') }] },
  })
  expect(call('lint', sources)).toEqual(plain(lint(sources)))
})

it('answers the queries of the command line', () => {
  const folder = join(import.meta.dirname, '../../examples/shop')
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
  const options = { namespace: 'shop', closedWorld: true }
  const expected = effective(sources, 'HTTPRoute/coffee', options)
  expect(expected.ok).toBe(true)
  expect(call('effective', sources, 'HTTPRoute/coffee', options)).toEqual(plain(expected))
  expect(call('render', sources, options)).toMatchObject({ ok: true })
  expect(call('simulate', sources, { clients: 1, rate: '5r/s', for: '2s' }, options)).toMatchObject({ ok: true })
})
