/** Values, objects and folders that are nested very deeply: a clear answer on every surface, never a fault. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { policyOf, reviewOf } from '../servers/reviews.ts'
import { startServed } from '../servers/served.ts'
import { casesOf } from '../support/cases.ts'
import { sluice } from './run.ts'

const { cases, each } = casesOf(import.meta.url)

const TOO_DEEP = 'nested deeper than 100 levels'
const LEVELS = [2500, 100_000]

const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
/** What stands in the tables for something that deep. */
function deep(name: string, levels: number): string {
  if (name === 'LISTS') return lists(levels)
  if (name === 'STEPS') return '/a'.repeat(levels)
  return Array(levels)
    .fill('a')
    .join(name === 'DOTS' ? '.' : '/')
}

const withMember = (value: string) => `${JSON.stringify(policyOf()).slice(0, -1)},"x":${value}}`

/** Files with a policy in which something is nested that deeply. */
const files = (levels: number): Readonly<Record<string, string>> => ({
  'lists.json': withMember(lists(levels)),
  'objects.json': withMember(objects(levels)),
  'list.json': `{"apiVersion":"v1","kind":"List","items":[${withMember(lists(levels))}]}`,
  'lists-of-lists.json': `${'{"apiVersion":"v1","kind":"List","items":['.repeat(levels)}${JSON.stringify(policyOf())}${']}'.repeat(levels)}`,
  'flow.yaml': `${policy()}x: ${'{a: '.repeat(levels)}1${'}'.repeat(levels)}\n`,
  'dashes.yaml': `${policy()}x:\n  ${'- '.repeat(levels)}1\n`,
  'questions.yaml': `${policy()}x:\n  ${'? '.repeat(levels)}1\n`,
})

describe.each(LEVELS)('%d levels', (levels) => {
  it('are refused by lint, in files, in Lists and from the standard input', async () => {
    const written = files(levels)
    const cwd = createFolder(written)
    for (const [name, stdin] of Object.entries(written))
      for (const run of [await sluice(['lint', name], { cwd }), await sluice(['lint', '-'], { cwd, stdin })])
        expect([name, run.code, run.stdout.includes(TOO_DEEP)]).toEqual([name, 1, true])
  })

  it('are left alone by --fix', async () => {
    const cwd = createFolder(files(levels))
    const { code, stderr } = await sluice(['lint', '--fix', '.'], { cwd })
    expect([code, stderr]).toEqual([1, expect.stringContaining('nothing to fix')])
  })

  it('keep no command from the other objects', async () => {
    const cwd = createFolder({ ...files(levels), 'good.yaml': policy() })
    expect((await sluice(['status', '.'], { cwd })).stdout).toContain('shop/coffee')
    expect((await sluice(['effective', 'HTTPRoute/shop/coffee', '.', '--format', 'json'], { cwd })).code).toBe(0)
    expect((await sluice(['render', '.'], { cwd })).stderr).toContain('no Gateway was found')
    const traffic = ['--clients', '2', '--rate', '5r/s', '--for', '2s']
    expect((await sluice(['simulate', 'good.yaml', 'lists.json', ...traffic], { cwd })).code).not.toBe(3)
  })

  it('may be in the JSON of an annotation', async () => {
    const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': withMember(lists(levels)) }
    const cwd = createFolder({ 'a.json': JSON.stringify(policyOf({ metadata: { annotations } })) })
    for (const command of ['lint', 'status']) expect((await sluice([command, 'a.json'], { cwd })).code).toBe(0)
  })

  it('are refused in settings, with the place', async () => {
    const cwd = createFolder({ 'good.yaml': policy(), 'a.yaml': `ignores: ${lists(levels)}\n` })
    const { code, stderr } = await sluice(['lint', 'good.yaml', '--config', 'a.yaml'], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringMatching(/^sluice: a\.yaml:1:\d+: nested deeper than 100 levels/)])
  })

  it('are refused in a baseline', async () => {
    const cwd = createFolder({ 'good.yaml': policy(), 'b.json': `{"version":1,"findings":${lists(levels)}}` })
    const { code, stderr } = await sluice(['lint', 'good.yaml', '--baseline', 'b.json'], { cwd })
    expect([code, stderr]).toEqual([2, expect.stringContaining('b.json')])
  })

  each<[string, string, string]>('are not built of %s', async (_, text, reason) => {
    const kustomization = text.replace(/LISTS|DOTS|SLASHES|STEPS/, (name) => deep(name, levels))
    const written = { 'good.yaml': policy(), 'lists.json': withMember(lists(levels)) }
    const cwd = createFolder({ ...written, 'kustomization.yaml': kustomization })
    const { code, stderr } = await sluice(['lint', '.'], { cwd })
    expect([code < 2, stderr]).toEqual([true, expect.stringContaining(reason)])
  })

  it('are answered by the webhook', async () => {
    const { send } = await startServed()
    const review = JSON.stringify(reviewOf({ operation: 'UPDATE', object: 1, oldObject: 2 }))
    for (const path of ['/validate', '/mutate', '/observe'])
      for (const value of [lists(levels), objects(levels)]) {
        const deep = withMember(value)
        const body = review
          .replace('"object":1', () => `"object":${deep}`)
          .replace('"oldObject":2', () => `"oldObject":${deep}`)
        const response = await send(body, { path })
        expect([path, response.status]).toEqual([path, levels > 10_000 ? 413 : 200])
      }
  })
})

it('copies no object into itself until it is nested too deeply, or too large', async () => {
  const copies = (count: number) =>
    JSON.stringify(
      Array.from({ length: count }, (_, index) => ({
        op: 'copy',
        from: '/spec',
        path: `/spec/${index % 2 ? 'a' : `b${index}`}`,
      })),
    )
  for (const [count, reason] of [
    [10_000, 'nested deeper than 100 levels'],
    [60, 'copies more than 10000 values at once'],
  ] as const) {
    const patch =
      count === 60 ? copies(count) : JSON.stringify(Array(count).fill({ op: 'copy', from: '/spec', path: '/spec/a' }))
    const cwd = createFolder({
      'good.yaml': policy(),
      'kustomization.yaml': `resources: [good.yaml]\npatches:\n- target: {kind: RateLimitPolicy}\n  patch: '${patch}'\n`,
    })
    const { code, stderr } = await sluice(['lint', '.'], { cwd })
    expect([code, stderr]).toEqual([0, expect.stringContaining(reason)])
  }
})

each<[number, RegExp]>(
  'builds kustomizations that build on one another %i deep, or says that they are too many',
  async (bases, words) => {
    const files = Array.from({ length: bases }, (_, level) => [
      `b${level}/kustomization.yaml`,
      level === 0 ? 'resources: [good.yaml]\n' : `resources: [../b${level - 1}]\n`,
    ])
    const root = `resources: [b${bases - 1}]\n`
    const cwd = createFolder({ 'b0/good.yaml': policy(), ...Object.fromEntries(files), 'kustomization.yaml': root })
    const { code, stderr } = await sluice(['lint', 'kustomization.yaml'], { cwd })
    expect([code, stderr]).toEqual([0, expect.stringMatching(words)])
  },
)

it('finds the files of a folder that is nested as deeply as the system allows, and says which are too deep', async () => {
  const cwd = createFolder()
  const make = cases<string>('make')
  execFileSync(process.execPath, ['-e', make, policy({ rate: '10R/S' })], { cwd })
  const { stdout, stderr } = await sluice(['lint', '.'], { cwd })
  expect(stdout).toContain('gateway/rate-syntax')
  expect(stderr).toContain('the name is too long')
  execFileSync('rm', ['-r', join(cwd, 'd')])
})

it('compares with a commit whose folders are nested 2,500 deep', async () => {
  const { folder, git, commit } = createRepository()
  commit({ 'a.yaml': policy({ rate: '10R/S' }) })
  const id = git('hash-object', '-w', 'a.yaml')
  git('update-index', '--add', '--cacheinfo', `100644,${id},${'d/'.repeat(2500)}b.yaml`)
  git('commit', '--quiet', '--message', 'deep')
  const { code, stdout, stderr } = await sluice(['lint', '--base', 'HEAD', 'a.yaml', '.'], { cwd: folder })
  expect([code, stdout, stderr]).toEqual([1, expect.stringContaining('gateway/rate-syntax'), ''])
})
