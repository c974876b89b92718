/** The package as a user gets it: packed, installed into an empty folder without development dependencies, and used. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { libraryProgram } from '../../scripts/docs/library-page.ts'
import { casesOf } from '../support/cases.ts'
import { readManifest } from './manifest.ts'
import { network } from './network.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const OLDEST_NODE = 20

/** What the tarball may hold. */
const SHIPPED =
  /^(?:package\.json|README\.md|LICENSE|CHANGELOG\.md|man\/sluice\.1|schemas\/[\w.-]+\.(?:json|yaml)|dist\/package\.json|dist\/.+\.(?:js|cjs|mjs|d\.ts|d\.mts|txt)|dist\/studio\/.+\.(?:html|js|css|svg)(?:\.(?:br|gz))?)$/

/** What it must hold. */
const NEEDED = casesOf(import.meta.url).cases<readonly string[]>('needed')

type Node = { readonly version: string; readonly folder: string }

/** The project's own Node, and the first one on the path that is not the project's. */
function findNodes(): readonly Node[] {
  const onPath = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  const host = onPath.find((folder) => existsSync(join(folder, 'node')) && existsSync(join(folder, 'npx')))
  return [dirname(process.execPath), ...(host ? [host] : [])].map((folder) => ({
    folder,
    version: spawnSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' }).stdout.trim(),
  }))
}

const NODES = findNodes().filter(({ version }) => Number(/^v(\d+)/.exec(version)?.[1]) >= OLDEST_NODE)

let folder: string
let packed: readonly string[]

/** Runs a program in the user's folder, with one Node first on the path and nothing of this project on it. */
function run(program: string, parameters: readonly string[], node?: Node, input = '') {
  const path = (process.env.PATH ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'))
  return spawnSync(program, parameters, {
    cwd: folder,
    encoding: 'utf8',
    input,
    env: { ...network(), PATH: [...(node ? [node.folder] : []), ...path].join(delimiter), NO_COLOR: '1' },
  })
}

function expectDone({ status, stdout, stderr }: ReturnType<typeof run>): string {
  expect(status, `${stdout}${stderr}`).toBe(0)
  return stdout
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-packing-'))
  const tarballs = join(folder, 'tarballs')
  mkdirSync(tarballs)
  const [{ filename, files }] = JSON.parse(
    expectDone(run('npm', ['pack', ROOT, '--json', '--ignore-scripts', '--pack-destination', tarballs])),
  )
  packed = files.map(({ path }: { readonly path: string }) => path)
  writeFileSync(join(folder, 'package.json'), '{ "name": "user", "private": true, "type": "module" }\n')
  expectDone(run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', join(tarballs, filename)]))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const policy = (rate: string) => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata: { name: coffee, namespace: shop }
spec:
  targetRefs:
  - { group: gateway.networking.k8s.io, kind: HTTPRoute, name: coffee }
  rateLimit:
    local:
      rules:
      - { key: $binary_remote_addr, rate: ${rate}, burst: 20, zoneSize: 10m }
`

describe('the tarball', () => {
  it('holds what a user needs and nothing else', () => {
    expect(packed.filter((path) => !SHIPPED.test(path))).toEqual([])
    expect(packed).toEqual(expect.arrayContaining([...NEEDED]))
  })

  it('names no path of the machine that built it', () => {
    const installed = join(folder, 'node_modules', 'sluice')
    const files = readdirSync(installed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const telling = files.filter((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), 'utf8')
      return [ROOT, `${homedir()}/`, 'sourceMappingURL'].some((trace) => text.includes(trace))
    })
    expect(telling.map(({ name }) => name)).toEqual([])
  })

  it('brings along what the servers load', () => {
    const { dependencies } = readManifest()
    expect(Object.keys(dependencies).filter((name) => !existsSync(join(folder, 'node_modules', name)))).toEqual([])
  })

  it('lints without any of it', () => {
    const alone = join(folder, 'alone')
    cpSync(join(folder, 'node_modules', 'sluice'), alone, { recursive: true })
    writeFileSync(join(folder, 'alone.yaml'), policy('10R/S'))
    const { stdout, stderr } = run(process.execPath, [join(alone, 'dist', 'cli.js'), 'lint', 'alone.yaml'])
    expect(stderr).toBe('')
    expect(stdout).toContain('gateway/rate-syntax')
  })
})

it.runIf(process.env.CI)('is tried with the oldest Node that it supports and with its own', () => {
  const majors = NODES.map(({ version }) => Number(version.slice(1).split('.')[0]))
  expect(Math.min(...majors)).toBe(OLDEST_NODE)
})

describe.each(NODES)('with Node $version', (node) => {
  it('finds a mistake: npx sluice lint', () => {
    writeFileSync(join(folder, 'coffee.yaml'), policy('10R/S'))
    const { status, stdout } = run('npx', ['sluice', 'lint', 'coffee.yaml'], node)
    expect(stdout).toContain('gateway/rate-syntax')
    expect(status).toBe(1)
  })

  it('passes what is right, from the standard input', () =>
    expect(expectDone(run('npx', ['sluice', 'lint', '-'], node, policy('10r/s')))).toContain('no problems'))

  it("gives the same findings to a program: import { lint } from 'sluice'", () => {
    writeFileSync(
      join(folder, 'program.js'),
      `import { lint } from 'sluice'
const { value } = lint([{ file: 'coffee.yaml', text: ${JSON.stringify(policy('10R/S'))} }])
console.log(value.findings.map(({ rule, line }) => rule + ':' + line).join())`,
    )
    expect(expectDone(run(join(node.folder, 'node'), ['program.js'], node))).toBe('gateway/rate-syntax:10\n')
  })
})

describe.each([
  ['nodenext', ['--module', 'nodenext']],
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
])('with moduleResolution %s', (_, flags) => {
  const compile = (file: string, ...more: readonly string[]) => {
    const all = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--target', 'es2023', '--types', '']
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    expectDone(run(process.execPath, [tsc, ...all, ...flags, ...more, file]))
  }

  it.each(['sluice', 'sluice/browser'])('has types that a strict program compiles with: %s', (name) => {
    writeFileSync(
      join(folder, 'program.ts'),
      `import { lint, readSettings, type LintResult, type ReportedFinding, type Result } from '${name}'
const result: Result<LintResult> = lint([{ file: 'a.yaml', text: '' }], { settings: { conflict: 'any-field' } })
const findings = result.ok ? result.value.findings : []
const lines: readonly number[] = findings.map(({ line }: ReportedFinding) => line)
const project = readSettings('')
if (project.ok) lint([], { settings: project.value.settings })
// @ts-expect-error A source has a text.
lint([{ file: 'a.yaml' }])
// @ts-expect-error Whether there is a value is asked first.
result.value
export default lines
`,
    )
    compile('program.ts')
  })

  it('compiles the examples of docs/library.md', () => {
    const page = readFileSync(join(ROOT, 'docs/library.md'), 'utf8')
    writeFileSync(join(folder, 'library.ts'), libraryProgram(page))
    compile('library.ts', '--lib', 'es2023,dom')
  })
})
