/** Repositories that somebody else has configured: a real Git must not run their programs. */
import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sluice } from '../cli/run.ts'
import { casesOf } from '../support/cases.ts'
import { createFolder, policy } from './folder.ts'
import { createRepository, gitIn } from './repository.ts'

const { cases } = casesOf(import.meta.url)

const MARKER = 'marker'

/** A repository whose configuration runs a program wherever Git lets it; the program creates a file. */
function createTrap(text = policy()) {
  const repository = createRepository()
  const { folder, git } = repository
  const marker = join(createFolder(), MARKER)
  const program = join(createFolder(), 'program')
  writeFileSync(program, `#!/bin/sh\ntouch '${marker}'\nexit 1\n`)
  chmodSync(program, 0o755)
  repository.commit({ 'a.yaml': text, '.gitattributes': '*.yaml filter=trap diff=trap\n' })
  for (const [name, value] of cases<readonly (readonly [string, string])[]>('configuration'))
    git('config', name, value.replace('PROGRAM', program))
  const hooks = join(folder, '.git/hooks')
  mkdirSync(hooks, { recursive: true })
  for (const hook of ['post-index-change', 'reference-transaction', 'post-checkout', 'fsmonitor-watchman'])
    execFileSync('cp', [program, join(hooks, hook)])
  return { ...repository, marker }
}

/** Removes an object of the repository, as if the clone were partial. */
function forget(folder: string, path: string): void {
  const id = execFileSync('git', ['-C', folder, '-c', 'core.fsmonitor=false', 'rev-parse', `HEAD:${path}`], {
    encoding: 'utf8',
  }).trim()
  rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)))
}

describe('a repository whose configuration names programs', () => {
  it('runs one of them where Git is not told otherwise', () => {
    const { folder, marker } = createTrap()
    spawnSync('git', ['status'], { cwd: folder, timeout: 5000 })
    expect(existsSync(marker)).toBe(true)
    rmSync(marker)
    forget(folder, 'a.yaml')
    const env = { ...process.env, GIT_NO_LAZY_FETCH: '0' }
    spawnSync('git', ['-c', 'core.fsmonitor=false', 'cat-file', '-p', 'HEAD:a.yaml'], {
      cwd: folder,
      env,
      timeout: 5000,
    })
    expect(existsSync(marker)).toBe(true)
  })

  it.each([['HEAD'], ['HEAD...'], ['HEAD~1'], ['mian'], ['origin/main']])(
    'runs none of them with --base %s',
    async (reference) => {
      const { folder, marker } = createTrap()
      writeFileSync(join(folder, 'a.yaml'), policy({ rate: '10R/S' }))
      await sluice(['lint', '--base', reference], { cwd: folder })
      expect(existsSync(marker)).toBe(false)
    },
  )

  it('runs none of them to say how old a suppression is', async () => {
    const { folder, marker } = createTrap(`${policy()}# sluice-disable-file gateway/key-constant -- meant\n`)
    writeFileSync(join(folder, 'a.yaml'), `# first\n${readFileSync(join(folder, 'a.yaml'), 'utf8')}`)
    const { stdout } = await sluice(['suppressions', '--format', 'json'], { cwd: folder })
    expect(JSON.parse(stdout).suppressions).toMatchObject([{ ageInDays: expect.any(Number) }])
    expect(existsSync(marker)).toBe(false)
  })

  it('is not asked for objects that the clone lacks', async () => {
    const { folder, marker } = createTrap()
    forget(folder, 'a.yaml')
    writeFileSync(join(folder, 'a.yaml'), policy({ rate: '10R/S' }))
    const { stderr } = await sluice(['lint', '--base', 'HEAD'], { cwd: folder })
    expect(stderr).toContain('a.yaml of the base cannot be read, so its objects count as new: the clone is partial; ')
    expect(existsSync(marker)).toBe(false)
  })
})

it.each(['blob:none', 'tree:0'])(
  'a partial clone with --filter=%s says what it lacks, and the command that gets it',
  async (filter) => {
    const origin = createRepository()
    origin.commit({ 'a.yaml': policy(), 'b.yaml': policy({ name: 'tea', rate: '10R/S' }) })
    origin.commit({ 'a.yaml': policy({ rate: '20r/s' }), 'b.yaml': policy({ name: 'tea', rate: '10R/S' }) })
    origin.git('config', 'uploadpack.allowFilter', 'true')
    const folder = join(createFolder(), 'clone')
    gitIn(origin.folder)('clone', '--quiet', `--filter=${filter}`, `file://${origin.folder}`, folder)
    const ask = () => sluice(['lint', '--base', 'HEAD~1'], { cwd: folder })
    const { stderr } = await ask()
    const remedy = /the clone is partial; git (.*) gets what it lacks/.exec(stderr)?.[1]
    expect(remedy).toBe('fetch --refetch --no-filter origin')
    gitIn(folder)(...(remedy ?? '').split(' '))
    expect(await ask()).toMatchObject({ code: 1, stderr: '', stdout: expect.stringContaining('1 error') })
  },
)

describe('a .git that Git does not take', () => {
  it('is refused where the files of a bare repository lie beside it', async () => {
    const { folder, commit, git } = createRepository()
    commit({ 'a.yaml': policy() })
    for (const name of ['HEAD', 'config', 'objects', 'refs']) renameSync(join(folder, '.git', name), join(folder, name))
    writeFileSync(join(folder, 'config'), '[core]\n\tbare = true\n')
    expect(git('rev-parse', '--is-bare-repository')).toBe('true')
    const { code, stderr } = await sluice(['lint', '--base', 'HEAD'], { cwd: folder })
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("safe.bareRepository is 'explicit'"),
    })
  })

  it('is not replaced by a repository further up', async () => {
    const { folder, commit } = createRepository()
    commit({ 'inner/a.yaml': policy() })
    mkdirSync(join(folder, 'inner/.git'))
    const { code, stderr } = await sluice(['lint', '--base', 'HEAD'], { cwd: join(folder, 'inner') })
    expect(code).toBe(2)
    expect(stderr).toContain('not a git repository')
  })
})
