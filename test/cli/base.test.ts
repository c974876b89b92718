/** `sluice lint --base`, with real repositories. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { changed, findingsIn, KEY_CHANGE } from './key-changes.ts'
import { sluice } from './run.ts'

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
      'old/patch.yaml': policy({ namespace: '', rate: '20r/s' }),
      '.gitignore': '*.gen.yaml\n',
    })
    commit({
      'old/kustomization.yaml': undefined,
      'old/limits.yaml': undefined,
      'old/patch.yaml': undefined,
      'new.yaml': `${changed()}---\n${policy({ name: 'tea' })}`,
    })
    expect(await findingsIn(folder, '--base', 'HEAD~1')).toEqual([`new.yaml coffee ${KEY_CHANGE}`])
    // That both are in one namespace is unknown.
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

  it('decides which policy is older where their ages are not known', async () => {
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
    expect(await conflicts()).toEqual([expect.stringMatching(/^z.yaml warning policy "a-comes-later" also sets /)])
    expect(await conflicts('--base', 'HEAD~1')).toEqual([
      expect.stringMatching(/^a.yaml error this policy is rejected: policy "z-was-first" \(older\) also sets /),
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
