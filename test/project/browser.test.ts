/** src/browser.ts runs without Node, and its results are those of the command line. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { lint, queryEffective, queryWorlds } from '../../src/browser.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { readFixtures } from '../fixtures.ts'
import { runInBrowser } from '../in-browser.ts'

const PAGE = `
  import * as library from './src/browser.ts'
  globalThis.names = Object.keys(library)
  const { lint, fixSources, queryWorlds, queryEffective, queryStatus, queryRender, DEFAULT_SETTINGS } = library
  globalThis.run = (json) => {
    const { sources, options, fix } = JSON.parse(json)
    const outcome = lint(sources, options)
    const judge = (changed) => lint(changed, options)
    const fixed = fix ? fixSources(sources, outcome, { kinds: new Set(['safe']), judge }).sources : []
    return JSON.stringify({ report: outcome.report, fixed })
  }
  globalThis.effective = (json, target) => {
    const settings = DEFAULT_SETTINGS
    const worlds = queryWorlds(JSON.parse(json), { settings, closedWorld: true })
    return JSON.stringify(queryEffective(target, worlds, { settings, namespace: undefined, world: undefined }))
  }`

let page: Record<string, unknown>
const call = (name: string, ...parameters: readonly string[]): unknown => {
  const run = page[name]
  if (typeof run !== 'function') throw new Error(`the page has no function ${name}`)
  return JSON.parse(run(...parameters))
}
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

beforeAll(async () => {
  page = await runInBrowser(PAGE)
})

it('reports every fixture as the library does in Node', () => {
  for (const { rule, name, text, previous, options, namespace } of readFixtures()) {
    const source = { file: `${rule}/${name}`, text, ...(namespace ? { namespace } : {}) }
    const run = { ...options, previous: previous === undefined ? [] : [{ ...source, text: previous }] }
    const { report } = lint([source], run)
    expect(call('run', JSON.stringify({ sources: [source], options: run })), rule).toMatchObject({
      report: plain(report),
    })
  }
})

it('judges and fixes objects and texts', () => {
  const object = {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'Gateway', name: 'edge' }],
      rateLimit: { local: { rules: [{ key: '$binary_remote_addr', rate: '10R/S' }] } },
    },
  }
  const sources = [{ object }, { file: 'coffee.yaml', text: JSON.stringify(object) }]
  expect(call('run', JSON.stringify({ sources, options: {}, fix: true }))).toMatchObject({
    report: {
      findings: [
        { rule: 'gateway/rate-syntax', file: 'coffee.yaml', line: 1 },
        // An object without a text has its places in the YAML that kubectl would print.
        { rule: 'gateway/rate-syntax', file: 'shop/RateLimitPolicy/coffee', line: 15, column: 15 },
      ],
    },
    fixed: [{ object }, { text: expect.stringContaining('"rate":"10r/s"') }],
  })
})

it('answers the queries of the command line', () => {
  const folder = join(import.meta.dirname, '../../examples/shop')
  const sources = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => ({ file, text: readFileSync(join(folder, file), 'utf8') }))
  const settings = DEFAULT_SETTINGS
  const worlds = queryWorlds(sources, { settings, closedWorld: true })
  const expected = queryEffective('HTTPRoute/coffee', worlds, { settings, namespace: undefined, world: undefined })
  expect(call('effective', JSON.stringify(sources), 'HTTPRoute/coffee')).toEqual(plain(expected))
})

it('offers lint, fixes, effective, status, render and simulate', () => {
  expect(page.names).toEqual(
    expect.arrayContaining([
      'lint',
      'fixSources',
      'queryEffective',
      'queryStatus',
      'queryRender',
      'prepareSimulation',
      'simulateShape',
      'simulateLogText',
    ]),
  )
})
