import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { sluice } from './run.ts'

type Files = Readonly<Record<string, string>>

/** What is found, as `file rule`, and the notes beside it. */
async function within(cwd: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await sluice(['lint', '--format', 'json', '--info', ...argv], { cwd })
  const { findings, summary } = JSON.parse(stdout)
  return {
    code,
    stderr,
    found: findings.map(({ file, rule }: { file: string; rule: string }) => `${file} ${rule}`),
    counts: [summary.files, summary.documents],
  }
}

const at = (folder: string, files: Files): Files =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text]))

/** A policy that sets what only one policy of a target may set. */
const owner = (about: Parameters<typeof policy>[0]) =>
  policy(about).replace('  rateLimit:\n', '  rateLimit:\n    rejectCode: 429\n')

/** Two of them on one route: the first loses. */
const SHOP: Files = { 'coffee.yaml': owner({}), 'same.yaml': owner({ name: 'americano' }) }

describe('--within', () => {
  it('judges only what is named, and counts only that', async () => {
    const cwd = createFolder({
      'a.yaml': WRONG,
      'b/b.yaml': WRONG.replace('coffee', 'tea'),
      'c.yaml': 'kind: ConfigMap',
    })
    expect(await within(cwd, '--within', '.', 'b/b.yaml', 'c.yaml')).toEqual({
      code: 1,
      stderr: '',
      found: ['b/b.yaml gateway/rate-syntax'],
      counts: [2, 1],
    })
  })

  it('looks up in every file: a conflict with one that is not named is found', async () => {
    const cwd = createFolder(SHOP)
    const alone = await within(cwd, 'coffee.yaml')
    const whole = await within(cwd, '--within', '.', 'coffee.yaml')
    expect(alone.found).toEqual([])
    expect(whole.found).toEqual(['coffee.yaml gateway/conflict'])
  })

  it('does not report suppressions in files that are not named', async () => {
    const unused = '# sluice-disable-file gateway/rate-zero -- not needed any more\n'
    const cwd = createFolder({ 'a.yaml': unused + policy({}), 'b.yaml': unused + policy({ name: 'tea' }) })
    expect((await within(cwd, '--within', '.', 'b.yaml')).found).toEqual(['b.yaml document/suppression'])
  })

  it('knows what is absent when the folder is all there is', async () => {
    const cwd = createFolder(SHOP)
    expect((await within(cwd, '--within', '.', '--closed-world', 'coffee.yaml')).found).toContain(
      'coffee.yaml gateway/target-not-found',
    )
    expect((await within(cwd, '--within', '.', 'coffee.yaml')).found).not.toContain(
      'coffee.yaml gateway/target-not-found',
    )
  })

  it('takes folders, globs in quotes and links as names, and without any name everything', async () => {
    const cwd = createFolder({ 'a/1.yaml': WRONG, 'b/2.yaml': WRONG.replace('coffee', 'tea') })
    symlinkSync(join(cwd, 'a', '1.yaml'), join(cwd, 'link.yaml'))
    expect((await within(cwd, '--within', '.', 'a')).found).toEqual(['a/1.yaml gateway/rate-syntax'])
    expect((await within(cwd, '--within', '.', '*/2.yaml')).found).toEqual(['b/2.yaml gateway/rate-syntax'])
    expect((await within(cwd, '--within', '.', 'link.yaml')).found).toEqual(['a/1.yaml gateway/rate-syntax'])
    expect((await within(cwd, '--within', '.')).found).toHaveLength(2)
  })

  it('takes several folders, and names as seen from where it is started', async () => {
    const folder = createFolder({
      ...at('gateways', { 'same.yaml': owner({ name: 'americano' }) }),
      'k8s/a.yaml': owner({}),
    })
    const found = await within(join(folder, 'k8s'), '--within', '.', '--within', '../gateways', 'a.yaml')
    expect(found).toMatchObject({ found: ['a.yaml gateway/conflict'], counts: [1, 1] })
  })

  it('does not report what is deleted, ignored, excluded by the settings, or not a manifest', async () => {
    const { folder, write } = createRepository()
    write({
      '.gitignore': 'ignored.yaml\n',
      'sluice.config.yaml': 'ignores: [generated]\n',
      'ignored.yaml': WRONG,
      'generated/a.yaml': WRONG,
      'README.md': WRONG,
      'broken.yaml': 'a: [',
      'chart/Chart.yaml': '',
      'chart/values.yaml': 'rate: 10R/S',
    })
    const names = ['gone.yaml', 'ignored.yaml', 'generated/a.yaml', 'README.md', 'broken.yaml', 'chart/values.yaml']
    expect(await within(folder, '--within', '.', ...names)).toEqual({ code: 0, stderr: '', found: [], counts: [1, 0] })
  })

  it('reports that paths elsewhere are not judged', async () => {
    const cwd = createFolder({ 'k8s/a.yaml': policy(), 'other/a.yaml': WRONG })
    expect(await within(cwd, '--within', 'k8s', 'other/a.yaml', 'k8s/a.yaml')).toMatchObject({
      code: 0,
      found: [],
      stderr: 'note: other/a.yaml is outside of the folders of --within, so it is not judged\n',
    })
  })

  it('reports unreadable files only where they are named, and then takes nothing for absent', async () => {
    const cwd = createFolder({ 'a.yaml': policy(), 'b.yaml': policy({ name: 'tea' }) })
    symlinkSync('nowhere', join(cwd, 'lost.yaml'))
    expect(await within(cwd, '--within', '.', 'a.yaml')).toMatchObject({ code: 0, stderr: '' })
    expect(await within(cwd, '--within', '.', '--closed-world', 'a.yaml')).toMatchObject({
      code: 0,
      stderr: 'note: some files could not be read, so --closed-world is ignored: no object counts as absent\n',
    })
    expect((await within(cwd, '--within', '.', '.')).stderr).toContain('lost.yaml')
  })

  it('reports a chart only where something in it is named', async () => {
    const cwd = createFolder({ 'a.yaml': policy(), 'c/Chart.yaml': '', 'c/templates/p.yaml': policy() })
    expect((await within(cwd, '--within', '.', 'a.yaml')).stderr).toBe('')
    expect((await within(cwd, '--within', '.', 'c/templates/p.yaml')).stderr).toContain('helm template c')
  })

  it.each([
    ['--base', 'HEAD'],
    ['--old', 'old'],
  ])('compares the whole folder with an earlier version: %s', async (flag, version) => {
    const { folder, commit, write } = createRepository()
    const former = { 'k8s/a.yaml': policy(), 'k8s/b.yaml': policy({ name: 'tea', namespace: 'bar' }) }
    commit({ ...former, 'old/a.yaml': former['k8s/a.yaml'], 'old/b.yaml': former['k8s/b.yaml'] })
    const changed = (text: string) => text.replace('$binary_remote_addr', '$remote_user')
    write({ 'k8s/a.yaml': changed(former['k8s/a.yaml']), 'k8s/b.yaml': changed(former['k8s/b.yaml']) })
    const { found } = await within(folder, '--within', 'k8s', flag, version, 'k8s/b.yaml')
    expect(found).toContain('k8s/b.yaml gateway/key-change-without-zone-resize')
    expect(found.filter((line: string) => !line.startsWith('k8s/b.yaml'))).toEqual([])
  })

  it('gives the namespace of the command line to all of them', async () => {
    const cwd = createFolder({ 'a.yaml': owner({ name: 'americano', namespace: '' }), 'b.yaml': owner({}) })
    expect((await within(cwd, '--within', '.', 'b.yaml')).found).toEqual([])
    expect((await within(cwd, '--within', '.', '-n', 'shop', 'b.yaml')).found).toEqual(['b.yaml gateway/conflict'])
  })

  it('fixes only what is named', async () => {
    const tea = WRONG.replace('coffee', 'tea')
    const cwd = createFolder({ 'a.yaml': WRONG, 'b.yaml': tea })
    const { stderr } = await sluice(['lint', '--fix', '--within', '.', 'a.yaml'], { cwd })
    expect(stderr).toBe('fixed 1 finding in 1 file\n')
    expect(readFileSync(join(cwd, 'a.yaml'), 'utf8')).toBe(policy())
    expect(readFileSync(join(cwd, 'b.yaml'), 'utf8')).toBe(tea)
  })

  it('judges comments and a baseline by what is named', async () => {
    const unused = `# sluice-disable-file gateway/rate-zero -- once it was\n${policy({ name: 'tea' })}`
    const cwd = createFolder({ 'a.yaml': policy(), 'b.yaml': unused, 'c.yaml': WRONG.replace('coffee', 'water') })
    expect((await within(cwd, '--within', '.', 'b.yaml')).found).toEqual(['b.yaml document/suppression'])
    expect((await within(cwd, '--within', '.', 'a.yaml')).found).toEqual([])
    await sluice(['lint', '--baseline', 'known.json', '--write-baseline'], { cwd })
    writeFileSync(join(cwd, 'c.yaml'), policy({ name: 'water' }))
    expect((await within(cwd, '--within', '.', '--baseline', 'known.json', 'a.yaml')).stderr).toBe('')
    expect((await within(cwd, '--within', '.', '--baseline', 'known.json', 'c.yaml')).stderr).toContain('is gone')
  })

  it.each([
    [['--within', 'gone'], '--within gone: no such file or folder'],
    [['--within', 'a.yaml'], '--within a.yaml: expected a folder, found a file'],
    [
      ['--within', '.', '-'],
      '--within judges files of a folder: say which one the standard input is with --stdin-filename',
    ],
    [['--within', '.', '--cluster'], '--within is for files: use it without --cluster'],
    [['--within'], '--within needs a value: --within DIR'],
  ])('rejects %j in one line', async (argv, problem) => {
    const cwd = createFolder({ 'a.yaml': policy() })
    expect(await sluice(['lint', ...argv], { cwd })).toEqual({ code: 2, stdout: '', stderr: `sluice: ${problem}\n` })
  })
})
