/** `sluice lint --base`, with real repositories. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository, gitIn } from '../files/repository.ts'
import { sluice } from './run.ts'

const OTHER_KEY = '$binary_remote_addr$server_name'

/** A policy that limits by another key in a zone of the same size. */
const changed = (parts: Parameters<typeof policy>[0] = {}): string =>
  policy(parts).replace('key: $binary_remote_addr\n', `key: ${OTHER_KEY}\n`)

/** `a.yaml coffee gateway/key-change-without-zone-resize`, one a finding. */
async function findingsIn(cwd: string, ...argv: readonly string[]): Promise<readonly string[]> {
  const { stdout, stderr } = await sluice(['lint', ...argv, '--format', 'json'], { cwd })
  expect(stderr.replace(/^note: .*\n/gm, '')).toBe('')
  return JSON.parse(stdout).findings.map(
    ({ file, object, rule }: { file: string; object: { name: string }; rule: string }) =>
      `${file} ${object.name} ${rule}`,
  )
}

const KEY_CHANGE = 'gateway/key-change-without-zone-resize'

describe('a commit as the base', () => {
  it('shows what a changed key does to a gateway that runs', async () => {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    commit({ 'a.yaml': changed() })
    expect(await findingsIn(folder)).toEqual([])
    expect(await findingsIn(folder, '--base', 'HEAD')).toEqual([])
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    const { code, stdout } = await sluice(['lint', '--base', 'HEAD~1'], { cwd: folder })
    expect(code).toBe(1)
    expect(stdout).toContain('nginx will refuse the reload')
  })

  it('is compared with what stands on the disk, committed or not', async () => {
    const { folder, commit, write } = createRepository()
    commit({ 'a.yaml': policy() })
    write({ 'a.yaml': changed(), 'new.yaml': changed({ name: 'tea' }) })
    expect(await findingsIn(folder, '--base', 'HEAD')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(folder, 'a.yaml', 'new.yaml', '--base=main')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
  })

  it('finds policies again in renamed and in split files', async () => {
    const { folder, commit } = createRepository()
    commit({ 'k8s/all.yaml': `${policy()}---\n${policy({ name: 'tea' })}`, 'k8s/b.yaml': policy({ name: 'mate' }) })
    commit({
      'k8s/all.yaml': undefined,
      'k8s/b.yaml': undefined,
      'k8s/coffee.yaml': changed(),
      'k8s/more/tea.yaml': changed({ name: 'tea' }),
      'k8s/c.yaml': `# Moved.\n${changed({ name: 'mate' })}`,
    })
    const expected = ['k8s/c.yaml mate', 'k8s/coffee.yaml coffee', 'k8s/more/tea.yaml tea']
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual(expected.map((one) => `${one} ${KEY_CHANGE}`))
    // As a hook before a commit would name them: only what is there now.
    expect(await findingsIn(folder, 'k8s/c.yaml', '--base', 'HEAD~1')).toEqual([`k8s/c.yaml mate ${KEY_CHANGE}`])
    expect(await findingsIn(folder, 'k8s/**/*.yaml', '--base', 'HEAD~1')).toHaveLength(3)
  })

  it('takes a policy of another name or namespace for another policy', async () => {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    commit({ 'a.yaml': `${changed({ namespace: 'market' })}---\n${changed({ name: 'tea' })}` })
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([])
  })

  it('knows the same policy of several clusters by its file, or by the worlds of the settings', async () => {
    const { folder, commit } = createRepository()
    commit({ 'eu/a.yaml': policy(), 'us/a.yaml': changed() })
    commit({ 'eu/a.yaml': changed(), 'us/b.yaml': policy(), 'us/a.yaml': undefined })
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([`eu/a.yaml coffee ${KEY_CHANGE}`])
    const worlds = 'worlds:\n- { name: eu, paths: [eu] }\n- { name: us, paths: [us] }\n'
    commit({ 'sluice.config.yaml': worlds })
    expect(await findingsIn(folder, '--base', 'HEAD~2')).toEqual([
      `eu/a.yaml coffee ${KEY_CHANGE}`,
      `us/b.yaml coffee ${KEY_CHANGE}`,
    ])
  })

  it('has kustomizations, ignored files and namespaces of its own', async () => {
    const { folder, commit } = createRepository()
    const [bare, bareChanged] = [policy({ namespace: '' }), changed({ namespace: '' })]
    const kustomization =
      'kind: Kustomization\nnamespace: shop\nresources: [limits.yaml]\npatches: [{ path: patch.yaml }]\n'
    commit({
      'old/kustomization.yaml': kustomization,
      'old/limits.yaml': bare,
      'old/patch.yaml': changed({ name: 'tea' }),
      '.gitignore': '*.gen.yaml\n',
    })
    commit({
      'old/kustomization.yaml': undefined,
      'old/limits.yaml': undefined,
      'old/patch.yaml': undefined,
      'new.yaml': `${changed()}---\n${policy({ name: 'tea' })}`,
    })
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([`new.yaml coffee ${KEY_CHANGE}`])
    // Nobody knows that both live in one namespace.
    commit({ 'new.yaml': bareChanged })
    expect(await findingsIn(folder, '--base', 'HEAD~2')).toEqual([])
    expect(await findingsIn(folder, '--base', 'HEAD~2', '--namespace', 'shop')).toEqual([
      `new.yaml coffee ${KEY_CHANGE}`,
    ])
  })

  it('follows the links that it had', async () => {
    const { folder, commit, git } = createRepository()
    commit({ 'shared/a.yaml': policy(), 'shared/deep/b.yaml': policy({ name: 'tea' }) })
    symlinkSync('shared', join(folder, 'linked'))
    mkdirSync(join(folder, 'apps'))
    symlinkSync('../shared/deep/b.yaml', join(folder, 'apps/b.yaml'))
    symlinkSync('nowhere.yaml', join(folder, 'apps/lost.yaml'))
    commit({})
    git('rm', '--quiet', 'linked', 'apps/lost.yaml', 'apps/b.yaml')
    commit({ 'linked/a.yaml': changed(), 'apps/b.yaml': changed({ name: 'tea' }) })
    expect(await findingsIn(folder, 'linked', '--base', 'HEAD~1')).toEqual([`linked/a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(folder, 'apps', '--base', 'HEAD~1')).toEqual([`apps/b.yaml tea ${KEY_CHANGE}`])
  })

  it('is looked at from any folder of the repository, and from outside of it', async () => {
    const { folder, commit } = createRepository()
    commit({ 'k8s/shop/a.yaml': policy() })
    commit({ 'k8s/shop/a.yaml': changed() })
    expect(await findingsIn(join(folder, 'k8s'), '--base', 'HEAD~1')).toEqual([`shop/a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(createFolder(), folder, '--base', 'HEAD~1')).toHaveLength(1)
  })

  it('compares what is piped in by identity', async () => {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    const { stdout } = await sluice(['lint', '-', '--base', 'HEAD'], { cwd: folder, stdin: changed() })
    expect(stdout).toContain(KEY_CHANGE)
  })

  it('decides who is older where nobody knows their ages', async () => {
    const { folder, commit } = createRepository()
    const coded = (name: string) => policy({ name }).replace('    local:', '    rejectCode: 429\n    local:')
    commit({ 'z.yaml': coded('z-was-first') })
    commit({ 'a.yaml': coded('a-comes-later') })
    const conflicts = async (...argv: readonly string[]) => {
      const { stdout } = await sluice(['lint', '--format', 'json', ...argv], { cwd: folder })
      return JSON.parse(stdout).findings.map(
        ({ file, severity, message }: Record<string, string>) => `${file} ${severity} ${message}`,
      )
    }
    expect(await conflicts()).toEqual([expect.stringMatching(/^z.yaml warning policy "a-comes-later" sets /)])
    expect(await conflicts('--base', 'HEAD~1')).toEqual([
      expect.stringMatching(/^a.yaml error policy "z-was-first" is older and sets /),
    ])
  })

  it('reads large, empty and odd files as they are', async () => {
    const { folder, commit } = createRepository()
    const filler = (seed: number) => `# ${'filler '.repeat(20_000 + seed)}\n`
    commit({
      'large.yaml': filler(1) + policy(),
      'larger.yaml': filler(60_000) + policy({ name: 'tea' }),
      'empty.yaml': '',
      'notes.json': '{"kind": "RateLimitPolicy"',
      'spaced name ü.yaml': policy({ name: 'mate' }),
    })
    commit({
      'large.yaml': filler(2) + changed(),
      'larger.yaml': filler(60_001) + changed({ name: 'tea' }),
      'empty.yaml': ' ',
      'notes.json': undefined,
      'spaced name ü.yaml': changed({ name: 'mate' }),
    })
    const names = (await findingsIn(folder, '--base', 'HEAD~1')).map((finding) => finding.split(' ').at(-2))
    expect(names).toEqual(['coffee', 'tea', 'mate'])
  })

  it('is that of a worktree, where one is linted', async () => {
    const { folder, git, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    const worktree = join(createFolder(), 'tree')
    git('worktree', 'add', '--quiet', '-b', 'other', worktree)
    writeFileSync(join(worktree, 'a.yaml'), changed())
    expect(await findingsIn(worktree, '--base', 'main')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(folder, '--base', 'main')).toEqual([])
  })

  it('reads repositories with ids of SHA-256', async () => {
    const { folder, git, commit } = createRepository()
    execFileSync('rm', ['-r', join(folder, '.git')])
    git('init', '--quiet', '--object-format=sha256')
    commit({ 'a.yaml': policy(), 'b.yaml': policy({ name: 'tea' }) })
    commit({ 'a.yaml': changed() })
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
  })
})

describe('a reference', () => {
  /** main has one more commit than the branch knows. */
  function createBranches() {
    const repository = createRepository()
    repository.commit({ 'a.yaml': policy() })
    repository.git('switch', '--quiet', '--create', 'more-keys')
    repository.commit({ 'b.yaml': policy({ name: 'tea' }) })
    repository.git('switch', '--quiet', 'main')
    repository.commit({ 'a.yaml': changed() })
    repository.git('switch', '--quiet', 'more-keys')
    return repository
  }

  it('with three dots is where it parted from HEAD', async () => {
    const { folder } = createBranches()
    expect(await findingsIn(folder, '--base', 'main')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(folder, '--base', 'main...')).toEqual([])
    expect(await findingsIn(folder, '--base', 'main...more-keys')).toEqual([])
  })

  it('may be a tag, an id, or anything else that means a commit', async () => {
    const { folder, git, commit } = createRepository()
    const first = commit({ 'a.yaml': policy() })
    git('tag', '--annotate', '--message', 'one', 'v1')
    commit({ 'a.yaml': changed() })
    for (const reference of ['v1', first, first.slice(0, 10), 'HEAD^', 'main~1', 'HEAD~1^{/change}'])
      expect(await findingsIn(folder, '--base', reference), reference).toHaveLength(1)
  })

  const problem = async (cwd: string, reference: string, ...paths: readonly string[]) => {
    const { code, stdout, stderr } = await sluice(['lint', ...paths, '--base', reference], { cwd })
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 2, stdout: '', lines: 2 })
    return stderr.trim()
  }

  it('that Git does not know gets the one that is meant', async () => {
    const { folder } = createBranches()
    expect(await problem(folder, 'mian')).toBe('sluice: Git does not know "mian" here; did you mean "main"?')
    expect(await problem(folder, 'more-key~1')).toContain('did you mean "more-keys~1"?')
    expect(await problem(folder, 'nothing-like-it')).toContain('"git branch --all" lists what it knows')
    expect(await problem(folder, 'mian...')).toContain('did you mean "main"?')
    expect(await problem(folder, 'HEAD~9')).toBe(
      'sluice: Git knows "HEAD" but not "HEAD~9": its history does not go back so far',
    )
  })

  it('that is none is said to be none', async () => {
    const { folder } = createBranches()
    expect(await problem(folder, 'main..more-keys')).toContain('"A..." means where A and HEAD part')
    expect(await problem(folder, '--all')).toMatch(/--base needs a value|--base is a commit/)
    expect(await problem(folder, 'a b')).toContain('--base is a commit such as')
    expect(await problem(folder, 'HEAD:k8s')).toContain('Git knows "HEAD" but not "HEAD:k8s"')
  })

  it('of another history has no commit in common', async () => {
    const { folder, git, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    git('switch', '--quiet', '--orphan', 'island')
    commit({ 'b.yaml': policy() })
    expect(await problem(folder, 'main...')).toBe('sluice: "main" and "HEAD" have no commit in common')
  })

  it('that a shallow clone lacks gets the command that fetches it', async () => {
    const origin = createBranches()
    origin.git('switch', '--quiet', 'main')
    origin.commit({ 'c.yaml': policy({ name: 'mate' }) })
    const folder = createFolder()
    const git = gitIn(folder)
    git('clone', '--quiet', '--depth=1', `file://${origin.folder}`, '.')
    expect(await problem(folder, 'HEAD~1')).toContain('the clone is shallow; git fetch --unshallow')
    const told = await problem(folder, 'origin/more-keys')
    expect(told).toBe(
      'sluice: the clone is shallow and does not hold "origin/more-keys": git fetch --depth=1 origin more-keys:refs/remotes/origin/more-keys',
    )
    expect(await findingsIn(folder, '--base', 'origin/main')).toEqual([])
    git(...(told.split(': git ')[1] ?? '').split(' '))
    expect(await findingsIn(folder, '--base', 'origin/more-keys')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    expect(await problem(folder, 'origin/more-keys...')).toContain('git fetch --unshallow')
    git('fetch', '--quiet', '--unshallow')
    expect(await findingsIn(folder, '--base', 'origin/more-keys...')).toEqual([`a.yaml coffee ${KEY_CHANGE}`])
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([])
  })

  it('in a repository without a commit makes every object new', async () => {
    const { folder, write } = createRepository()
    write({ 'a.yaml': policy() })
    for (const reference of ['HEAD', 'main', 'origin/main...']) {
      const outcome = await sluice(['lint', '--base', reference], { cwd: folder })
      expect(outcome).toMatchObject({
        code: 0,
        stderr: 'note: the repository has no commit yet, so every object counts as new\n',
      })
    }
  })

  it('needs a repository, and one alone', async () => {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    const other = createFolder({ 'b.yaml': policy({ name: 'tea' }) })
    expect(await problem(other, 'main')).toBe('sluice: --base needs a Git repository, and . is in none')
    expect(await problem(folder, 'main', 'a.yaml', join(other, 'b.yaml'))).toContain('is in none')
    gitIn(other)('init', '--quiet')
    expect(await problem(folder, 'main', 'a.yaml', join(other, 'b.yaml'))).toContain('are two repositories')
  })

  it('is not asked for where a path does not exist', async () => {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    const { code, stderr } = await sluice(['lint', 'gone.yaml', '--base', 'main'], { cwd: folder })
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'sluice: gone.yaml: no such file or folder\n' })
  })
})

describe('Git itself', () => {
  afterEach(() => void vi.unstubAllEnvs())

  async function problem(name: string, value: string) {
    const { folder, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    vi.stubEnv(name, value)
    return { folder, ...(await sluice(['lint', '--base', 'main'], { cwd: folder })) }
  }

  it('may be missing', async () => {
    const { code, stderr } = await problem('PATH', '/nowhere')
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'sluice: Git cannot be started, and --base needs it: install git\n',
    })
  })

  it('may distrust the folder', async () => {
    const { folder, code, stderr } = await problem('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    expect(code).toBe(2)
    expect(stderr).toContain(`git config --global --add safe.directory ${folder}\n`)
  })

  it('may run us as a hook', async () => {
    expect(await problem('GIT_DIR', '/nowhere/.git')).toMatchObject({ code: 0, stderr: '' })
  })

  it('may have lost files', async () => {
    const { folder, git, commit } = createRepository()
    commit({ 'a.yaml': policy() })
    const id = git('rev-parse', 'HEAD:a.yaml')
    commit({ 'a.yaml': changed() })
    rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)))
    const { code, stdout, stderr } = await sluice(['lint', '--base', 'HEAD~1'], { cwd: folder })
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "note: the base's a.yaml cannot be read, so its objects count as new\n",
    })
    expect(stdout).toContain('no problems')
  })
})
