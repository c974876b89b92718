/**
 * The hooks, installed by pre-commit from a clone of this project, on real repositories. At night npm builds the clone, as it
 * does for users; by day it is built already.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasPreCommit, PRE_COMMIT_PATH } from '../../scripts/pre-commit.ts'
import { policy, WRONG } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { network } from '../packing/network.ts'
import { ALL_CASES } from '../runs.ts'
import { copyProject } from './project-copy.ts'
import { ROOT } from './shell.ts'

const canRun = hasPreCommit() || process.env.CI !== undefined
if (!canRun) console.log('no pre-commit: the tests of the hooks are left out')

let folder: string
let revision: string

const project = () => join(folder, 'sluice')

/** Nothing of this project on the path: the hook runs with the Node of whoever commits. */
const environment = () => ({
  ...network(),
  PATH: (process.env.PATH ?? '')
    .split(delimiter)
    .filter((entry) => !entry.includes('node_modules'))
    .join(delimiter),
  PYTHONPATH: PRE_COMMIT_PATH,
  PRE_COMMIT_HOME: join(folder, 'cache'),
  PRE_COMMIT_COLOR: 'never',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
})

function run(cwd: string, program: string, ...parameters: readonly string[]) {
  const { status, stdout, stderr } = spawnSync(program, parameters, { cwd, encoding: 'utf8', env: environment() })
  return { status, said: `${stdout}${stderr}` }
}

const preCommit = (cwd: string, ...parameters: readonly string[]) =>
  run(cwd, 'python3', '-m', 'pre_commit', ...parameters)

/** A repository that asks for a hook, without a commit. */
function createUser(hook: string, settings = '') {
  const { folder: cwd, write } = createRepository()
  write({
    '.pre-commit-config.yaml': `repos:\n- repo: ${project()}\n  rev: ${revision}\n  hooks:\n  - id: ${hook}\n${settings}`,
  })
  const installed = preCommit(cwd, 'install', '--install-hooks')
  expect(installed.status, installed.said).toBe(0)
  const commit = (files: Readonly<Record<string, string>>) => {
    write(files)
    run(cwd, 'git', 'add', '--all')
    return run(cwd, 'git', 'commit', '--message', 'change')
  }
  const commits = () => run(cwd, 'git', 'rev-list', '--count', '--all').said.trim()
  return { cwd, commit, commits }
}

beforeAll(() => {
  if (!canRun) return
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'sluice-hooks-')))
  mkdirSync(project())
  revision = copyProject(project(), { isBuilt: !ALL_CASES })
})
afterAll(() => {
  if (canRun) rmSync(folder, { recursive: true, force: true })
})

describe.runIf(canRun)('.pre-commit-hooks.yaml', () =>
  it('is what pre-commit reads', () =>
    expect(preCommit(ROOT, 'validate-manifest', '.pre-commit-hooks.yaml')).toEqual({ status: 0, said: '' })),
)

describe.runIf(canRun)('sluice-lint', () => {
  it('refuses a bad commit and accepts its fixed version, from the very first commit on', () => {
    const { commit, commits } = createUser('sluice-lint')
    const refused = commit({ 'k8s/coffee.yaml': WRONG })
    expect(refused.said).toContain('sluice lint..............................................................Failed')
    expect(refused.said).toContain('15:15  error  "10R/S" is not a valid rate  gateway/rate-syntax')
    expect(refused.status).toBe(1)
    expect(commits()).toBe('0')
    const accepted = commit({ 'k8s/coffee.yaml': policy() })
    expect(accepted.said).toContain('sluice lint..............................................................Passed')
    expect(accepted.status).toBe(0)
    expect(commits()).toBe('1')
  })

  it('shows findings of what is committed alone, which it sees among all files', () => {
    const owner = (name: string) => policy({ name }).replace('  rateLimit:\n', '  rateLimit:\n    rejectCode: 429\n')
    const { commit, commits } = createUser('sluice-lint', '    args: [--max-warnings=0]\n')
    expect(commit({ 'k8s/americano.yaml': owner('americano') }).status).toBe(0)
    const refused = commit({ 'k8s/coffee.yaml': owner('coffee') })
    expect(refused.status, refused.said).toBe(1)
    expect(refused.said).toMatch(/k8s\/coffee\.yaml\n[\s\S]*policy "americano" .* gateway\/conflict/)
    expect(refused.said).not.toContain('k8s/americano.yaml')
    const elsewhere = policy().replace('    name: coffee\n', '    name: tea\n')
    expect(commit({ 'k8s/coffee.yaml': elsewhere }).status).toBe(0)
    expect(commits()).toBe('2')
  })

  it('reports no old mistake in a file that the commit does not change, and runs for YAML and JSON only', () => {
    const { cwd, commit } = createUser('sluice-lint')
    run(cwd, 'git', 'commit', '--allow-empty', '--no-verify', '--message', 'start')
    expect(commit({ 'README.md': 'kind: RateLimitPolicy' }).said).toContain('Passed')
    const json = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x' } })
    expect(commit({ 'settings.json': json, 'bad.yaml': WRONG }).status).toBe(1)
    run(cwd, 'git', 'commit', '--no-verify', '--message', 'bad')
    expect(commit({ 'settings.json': `${json}\n` }).status).toBe(0)
    expect(commit({ 'README.md': 'later' }).said).toContain('(no files to check)Skipped')
  })

  it('judges the whole repository where no names are passed', () => {
    const { cwd, commit } = createUser('sluice-lint', '    pass_filenames: false\n')
    expect(commit({ 'old.yaml': WRONG }).status).toBe(1)
    run(cwd, 'git', 'commit', '--no-verify', '--message', 'old')
    const refused = commit({ 'new.yaml': policy({ name: 'tea' }) })
    expect(refused.said).toContain('old.yaml')
    expect(refused.status).toBe(1)
  })

  it('takes a removed file and a moved one as they are', () => {
    const { cwd, commit } = createUser('sluice-lint')
    expect(commit({ 'a.yaml': policy(), 'b.yaml': policy({ name: 'tea' }) }).status).toBe(0)
    run(cwd, 'git', 'rm', '--quiet', 'a.yaml')
    run(cwd, 'git', 'mv', 'b.yaml', 'c.yaml')
    const moved = run(cwd, 'git', 'commit', '--message', 'move')
    expect(moved.status, moved.said).toBe(0)
  })
})

describe.runIf(canRun)('sluice-fix', () => {
  it('writes what is certain, refuses the commit once, and accepts what it wrote', () => {
    const { cwd, commit, commits } = createUser('sluice-fix')
    const refused = commit({ 'k8s/coffee.yaml': `# kept\n${WRONG}` })
    expect(refused.said).toContain('files were modified by this hook')
    expect(refused.status).toBe(1)
    expect(readFileSync(join(cwd, 'k8s/coffee.yaml'), 'utf8')).toBe(`# kept\n${policy()}`)
    const accepted = commit({})
    expect(accepted.status, accepted.said).toBe(0)
    expect(commits()).toBe('1')
  })

  it('leaves files alone that are not in the commit', () => {
    const { cwd, commit } = createUser('sluice-fix')
    run(cwd, 'git', 'commit', '--allow-empty', '--no-verify', '--message', 'start')
    commit({ 'old.yaml': WRONG.replace('coffee', 'old') })
    const old = WRONG.replace('coffee', 'old')
    run(cwd, 'git', 'checkout', '--', '.')
    run(cwd, 'git', 'commit', '--no-verify', '--message', 'old')
    commit({ 'old.yaml': old, 'coffee.yaml': policy() })
    expect(readFileSync(join(cwd, 'old.yaml'), 'utf8')).toBe(old)
  })
})
