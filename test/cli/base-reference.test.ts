import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository, gitIn } from '../files/repository.ts'
import { changed, findingsIn, KEY_CHANGE } from './key-changes.ts'
import { sluice } from './run.ts'

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
      'sluice: Git knows "HEAD" but not "HEAD~9": its history does not go back that far',
    )
  })

  it('that does not exist is reported', async () => {
    const { folder } = createBranches()
    expect(await problem(folder, 'main..more-keys')).toContain('"A..." means the merge base of A and HEAD')
    expect(await problem(folder, '--all')).toMatch(/--base needs a value|--base takes a commit/)
    expect(await problem(folder, 'a b')).toContain('--base takes a commit such as')
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
    const problemText = await problem(folder, 'origin/more-keys')
    expect(problemText).toBe(
      'sluice: the clone is shallow and does not hold "origin/more-keys": git fetch --depth=1 origin more-keys:refs/remotes/origin/more-keys',
    )
    expect(await findingsIn(folder, '--base', 'origin/main')).toEqual([])
    git(...(problemText.split(': git ')[1] ?? '').split(' '))
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
    expect(await problem(other, 'main')).toBe('sluice: --base needs a Git repository, and . is not in one')
    expect(await problem(folder, 'main', 'a.yaml', join(other, 'b.yaml'))).toContain('is not in one')
    gitIn(other)('init', '--quiet')
    expect(await problem(folder, 'main', 'a.yaml', join(other, 'b.yaml'))).toContain('are two repositories')
  })

  it('is not read where a path does not exist', async () => {
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
      stderr: 'note: a.yaml of the base cannot be read, so its objects count as new\n',
    })
    expect(stdout).toContain('no problems')
  })
})
