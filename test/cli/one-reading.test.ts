/** A run reads each document once, whatever is asked about it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseArgs } from '../../src/cli/core/flags.ts'
import { watchFolders } from '../../src/cli/core/watch.ts'
import { FLAGS } from '../../src/cli/try/flags.ts'
import { createReader } from '../../src/cli/try/manifests.ts'
import { admit, effective, fix, lint, render, simulate, status } from '../../src/index.ts'
import { lint as judge } from '../../src/lint/lint.ts'
import { createFolder } from '../files/folder.ts'
import { GATEWAY, policy } from '../library/manifests.ts'
import { countCalls } from '../support/calls.ts'
import { createIo, sluice } from './run.ts'

const POLICY = policy('5r/s').text
const REST = GATEWAY.text
const DOCUMENTS = 3

const countParsed = <Value>(run: () => Value | Promise<Value>) =>
  countCalls({ name: 'readContent', file: 'yaml/documents.ts' }, run)

const TRAFFIC = ['--clients', '2', '--rate', '5r/s', '--for', '2s']

const COMMANDS: readonly (readonly string[])[] = [
  ['lint'],
  ['lint', '--old', '.'],
  ['effective', 'HTTPRoute/coffee'],
  ['status'],
  ['render'],
  ['simulate', ...TRAFFIC],
  ['simulate', ...TRAFFIC, '--compare', '.'],
]

test.each(COMMANDS.map((argv) => ({ argv, line: argv.join(' ') })))(
  'sluice $line parses each document once',
  async ({ argv }) => {
    const cwd = createFolder({ 'policy.yaml': POLICY, 'rest.yaml': REST })
    const { calls, value } = await countParsed(() => sluice(argv, { cwd }))
    expect(value).toMatchObject({ code: 0 })
    expect(calls).toBe(DOCUMENTS)
  },
)

test('a kustomization and what it builds on are parsed once', async () => {
  const kustomization = 'resources: [policy.yaml, rest.yaml]\npatches: [{ path: patch.yaml }]\n'
  const patch =
    'apiVersion: gateway.nginx.org/v1alpha1\nkind: RateLimitPolicy\nmetadata: { name: coffee, namespace: shop }\nspec: { rateLimit: { logLevel: warn } }\n'
  const files = { 'policy.yaml': POLICY, 'rest.yaml': REST, 'patch.yaml': patch, 'kustomization.yaml': kustomization }
  const { calls, value } = await countParsed(() => sluice(['render'], { cwd: createFolder(files) }))
  expect(value.stdout).toContain('limit_req_log_level warn')
  expect(calls).toBe(DOCUMENTS + 2)
})

const SOURCES = [
  { file: 'policy.yaml', text: POLICY },
  { file: 'rest.yaml', text: REST },
]

test.each([
  ['lint', () => lint(SOURCES)],
  ['lint with the sources before', () => lint(SOURCES, { previous: SOURCES.map((source) => ({ ...source })) })],
  ['effective', () => effective(SOURCES, 'HTTPRoute/coffee')],
  ['status', () => status(SOURCES)],
  ['render', () => render(SOURCES)],
  ['simulate', () => simulate(SOURCES, { clients: 1, rate: '1r/s', for: '2s' }, { compare: SOURCES })],
  ['admit', () => admit(SOURCES, { cluster: SOURCES })],
])('the function %s of the library parses each document once', async (_, run) => {
  const { calls, value } = await countParsed<{ readonly ok: boolean }>(run)
  expect(value.ok).toBe(true)
  expect(calls).toBe(DOCUMENTS)
})

test('fixing parses again only the text that is fixed', async () => {
  const before = await countParsed(() => lint([{ file: 'policy.yaml', text: POLICY }]))
  const misspelt = { file: 'policy.yaml', text: POLICY.replace('5r/s', '5R/S') }
  const alone = await countParsed(() => fix([misspelt]))
  const beside = await countParsed(() => fix([misspelt, { file: 'rest.yaml', text: REST }]))
  expect(before.calls).toBe(1)
  expect(alone.value).toMatchObject({ ok: true, value: { changed: [{ fixed: 1 }] } })
  expect(beside.calls).toBe(alone.calls + DOCUMENTS - 1)
})

test('try parses the documents of a changed file once, and no others', async () => {
  const cwd = createFolder({ 'policy.yaml': POLICY, 'rest.yaml': REST })
  const watched = watchFolders({ cwd, isOwn: () => false })
  try {
    const reader = createReader(createIo([], { cwd }).io, parseArgs(FLAGS, [], ''), watched)
    const readAndJudge = async () => {
      const { reading, settings, gateways } = await reader.read()
      return { gateways, ...judge(reading, { settings, closedWorld: true }).report.summary }
    }
    const first = await countParsed(readAndJudge)
    expect(first).toMatchObject({ calls: DOCUMENTS, value: { gateways: ['shop/edge'], errors: 0 } })
    expect((await countParsed(readAndJudge)).calls).toBe(0)
    writeFileSync(join(cwd, 'policy.yaml'), POLICY.replace('5r/s', '5x/s'))
    expect(await countParsed(readAndJudge)).toMatchObject({ calls: 1, value: { errors: 1 } })
  } finally {
    watched.close()
  }
})
