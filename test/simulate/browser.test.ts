/** Shapes and logs in memory are simulated without Node: the entry runs in a context that has no Node in it. */
import { beforeAll, describe, expect, it } from 'vitest'
import { runInBrowser } from '../in-browser.ts'
import { casesOf } from '../support/cases.ts'
import { reportOf, shopWith } from './shop.ts'

const { cases } = casesOf(import.meta.url)

const { 'k8s/all.yaml': K8S = '', 'access.log': LOG = '' } = shopWith([])
const MANIFESTS = K8S.replace('$binary_remote_addr', '$binary_remote_addr$http_user_agent')

const PAGE = cases<string>('PAGE')

type Result = {
  readonly ok: boolean
  readonly problem?: string
  readonly value: { readonly report: object; readonly reading: object }
}
let run: (manifests: string, traffic: object) => Result

beforeAll(async () => {
  const page = await runInBrowser(PAGE)
  run = page.run as typeof run
})

/** The report that the command prints. */
const printed = (argv: string, files: Readonly<Record<string, string>> = {}) =>
  reportOf(`memory ${argv}`, { 'memory/all.yaml': MANIFESTS, ...files })

/** The report of the page, as the command would print it. */
const plain = ({ value }: Result) => JSON.parse(JSON.stringify(value.report))

describe('a log in memory', () => {
  const unicode = LOG.replace('curl/8.5.0', 'käse ✓').replaceAll('"curl', '"\\x22curl')

  it.each([
    ['a string', (text: string) => text],
    ['bytes', (text: string) => new TextEncoder().encode(text)],
  ])('has the same report as a file: %s', async (_, textOf) => {
    const expected = await printed('--log access.log --spread none', { 'access.log': unicode })
    expect(expected.policies[0].limits[0].topRejectedKeys).not.toEqual([])
    const result = run(MANIFESTS, { text: textOf(unicode), name: 'access.log', spread: 'none' })
    expect(result.ok).toBe(true)
    expect(plain(result)).toEqual(expected)
  })

  it('of several blocks, with lines that cannot be read', async () => {
    const long = `${'garbage\n'}${unicode.repeat(3000)}`
    const result = run(MANIFESTS, { text: long, name: 'long.log', host: 'shop.example' })
    expect(result.value.reading).toMatchObject(cases<object>('of several blocks, with lines that cannot be read'))
    expect(plain(result)).toEqual(await printed('--log long.log', { 'long.log': long }))
  })

  it('of JSON lines', async () => {
    const text = '{"ts":1767614400.1,"ip":"10.0.0.1","ua":"käse","request":"GET /coffee HTTP/1.1"}\n'.repeat(3)
    const expected = await printed('--log lines.json', { 'lines.json': text })
    expect(plain(run(MANIFESTS, { text, name: 'lines.json' }))).toEqual(expected)
  })

  it('of an unknown format is a problem', () =>
    expect(run(MANIFESTS, { text: 'hello\n' })).toEqual(cases('of an unknown format is a problem')))
})

it('a shape has the same report as on the command line', async () => {
  const shape = { name: 'steady', clients: 4, rate: 2000, duration: 10_000, period: 10_000, seed: 1 }
  const target = { method: 'GET', host: undefined, target: '/coffee' }
  const name = '4 clients at 2r/s for 10s, steady'
  expect(plain(run(MANIFESTS, { shape, name, target }))).toEqual(
    await printed('--clients 4 --rate 2r/s --for 10s --path /coffee'),
  )
})
