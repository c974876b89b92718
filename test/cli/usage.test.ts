import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { RULES } from '../../rules/index.ts'
import { COMMANDS } from '../../src/cli/core/commands.ts'
import { requireNode } from '../../src/cli/core/io.ts'
import { serveCommand as serve } from '../../src/cli/serve/serve.ts'
import { sluice } from './run.ts'

const SERVERS = ['admission', 'controller', 'api-management', 'mesh', 'studio']

describe('help', () => {
  it.each([['--help'], ['-h'], ['help']])('is shown by %s', async (flag) => {
    const { code, stdout } = await sluice([flag])
    expect(code).toBe(0)
    for (const { name, summary } of COMMANDS) expect(stdout).toMatch(new RegExp(`\n  ${name} +${summary}\n`))
  })

  it.each(COMMANDS.map(({ name }) => [name]))(
    'of %s is the same in every way of asking, with examples',
    async (name) => {
      const { code, stdout } = await sluice(['help', name])
      expect(code).toBe(0)
      expect(stdout).toContain(`Usage\n  sluice ${name}`)
      expect(stdout).toMatch(/\nExamples\n {2}# .+\n {2}.*sluice /)
      expect(stdout).toMatch(/ -h, --help /)
      expect(await sluice([name, '--help'])).toEqual({ code: 0, stdout, stderr: '' })
      expect(await sluice([name, '--bogus', '-h', 'x'])).toEqual({ code: 0, stdout, stderr: '' })
    },
  )

  it.each(SERVERS)('of the server %s has its flags alone, with examples', async (server) => {
    const { code, stdout } = await sluice(['serve', server, '--help'])
    expect(code).toBe(0)
    expect(await sluice(['help', 'serve', server])).toEqual({ code: 0, stdout, stderr: '' })
    expect((await sluice(['serve', '--help'])).stdout).toMatch(new RegExp(`\n  ${server} +\\S`))
    expect(stdout.match(/\n {2}sluice .*/g)?.every((line) => line.startsWith(`\n  sluice serve ${server}`))).toBe(true)
    const listed = [...stdout.matchAll(/\n {2}(?:-h, )?--([a-z-]+)/g)].map(([, name]) => name)
    const { parts = [] } = serve
    const hasValue = (name: string) => parts.some(({ flags }) => flags[name]?.value !== undefined)
    for (const name of new Set(parts.flatMap(({ flags }) => Object.keys(flags)))) {
      if (listed.includes(name)) continue
      const { stderr } = await sluice(['serve', server, `--${name}`, '9'].slice(0, hasValue(name) ? 4 : 3))
      expect(stderr).toMatch(new RegExp(`^sluice: --${name} is a flag of "sluice serve [a-z-]+"`))
    }
  })

  it('fits a terminal of 80 columns', async () => {
    const pages = [[], ...COMMANDS.map(({ name }) => [name]), ...SERVERS.map((server) => ['serve', server])]
    for (const page of pages)
      for (const line of (await sluice(['help', ...page])).stdout.split('\n'))
        expect(line.length).toBeLessThanOrEqual(80)
  })

  it('has the same summary for a command as the overview', async () => {
    for (const row of COMMANDS) expect(await row.load()).toMatchObject({ name: row.name, summary: row.summary })
  })
})

it.each([['--version'], ['-V'], ['version']])('%s prints the version of the package', async (flag) =>
  expect(await sluice([flag])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' }),
)

describe('the examples of the help', () => {
  const names = ['effective', 'status', 'render', 'explain', 'rules', 'manifests', 'version', 'help']
  const root = mkdtempSync(join(tmpdir(), 'sluice-help-'))
  const shop = join(root, 'examples/shop')
  for (const folder of ['shop', 'api-management'])
    cpSync(fileURLToPath(new URL(`../../examples/${folder}`, import.meta.url)), join(root, 'examples', folder), {
      recursive: true,
    })
  afterAll(() => rmSync(root, { recursive: true }))
  /** What kustomize or kubectl would write to the standard input: every object has its namespace. */
  const manifests = readdirSync(shop, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml')
    .map((name) => readFileSync(join(shop, name), 'utf8').replaceAll('metadata:\n', 'metadata:\n  namespace: shop\n'))

  it.each(names)('of %s run', async (name) => {
    const { examples } = (await COMMANDS.find((row) => row.name === name)?.load()) ?? { examples: [] }
    expect(examples).not.toEqual([])
    for (const { line } of examples) {
      const command = line.split(' | ').find((part) => part.startsWith('sluice ')) ?? line
      const [, ...argv] = command.split(' ')
      const stdin = argv.includes('-') ? manifests.join('---\n') : ''
      const { code, stdout } = await sluice(argv, { cwd: root, stdin })
      expect({ line, code, isEmpty: stdout === '' }).toEqual({ line, code: 0, isEmpty: false })
    }
  })
})

describe('sluice rules', () => {
  it('lists every rule with severity, fix and summary', async () => {
    const { code, stdout } = await sluice(['rules'])
    expect(code).toBe(0)
    const narrow = await sluice(['rules', '--color', 'never'], { columns: 80 })
    expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
    const lines = stdout.split('\n')
    for (const { id, severity, summary } of RULES)
      expect(
        lines.some((line) => line.startsWith(`${id} `) && line.includes(` ${severity} `) && line.endsWith(summary)),
      ).toBe(true)
    expect(stdout).toContain(`${RULES.length} rules.`)
  })

  it('lists them for programs', async () => {
    const listed: readonly unknown[] = JSON.parse((await sluice(['rules', '--format', 'json'])).stdout)
    expect(listed).toHaveLength(RULES.length)
    expect(listed).toContainEqual({
      id: 'gateway/rate-syntax',
      severity: 'error',
      judges: ['RateLimitPolicy'],
      fix: 'safe',
      since: null,
      summary: expect.any(String),
      remedy: expect.any(String),
      source: expect.any(String),
    })
  })
})

it('explains every rule', async () => {
  for (const { id } of RULES) expect(await sluice(['explain', id])).toMatchObject({ code: 0, stderr: '' })
})

describe('a fault of ours', () => {
  const stdin: Iterable<Uint8Array> = {
    [Symbol.iterator]: () => {
      throw new TypeError('x is not a function')
    },
  }

  it('is one line and code 3', async () =>
    expect(await sluice(['lint', '-'], { stdin })).toEqual({
      code: 3,
      stdout: '',
      stderr: 'sluice: a fault in sluice, not in your files: x is not a function (--verbose shows where)\n',
    }))

  it('prints the stack trace with --verbose', async () => {
    const { code, stderr } = await sluice(['lint', '-', '--verbose'], { stdin })
    expect(code).toBe(3)
    expect(stderr).toMatch(/^sluice: a fault in sluice, not in your files: x is not a function\nTypeError.*\n +at /)
  })
})

describe('the version of Node', () => {
  it.each(['22.19.0', '22.20.1', '23.0.0', '24.21.0'])('%s is new enough for servers', (nodeVersion) =>
    expect(() => requireNode('22.19', { nodeVersion })).not.toThrow(),
  )

  it.each(['20.20.2', '22.18.9'])('%s is not', (nodeVersion) =>
    expect(() => requireNode('22.19', { nodeVersion })).toThrow(
      `this command needs Node 22.19 or newer; this is ${nodeVersion}`,
    ),
  )
})
