/** What `npm run release` tags is an action that runs as it is. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, WRONG } from '../files/folder.ts'
import { gitIn } from '../files/repository.ts'
import { casesOf } from '../support/cases.ts'
import { readPage } from './page.ts'
import { copyProject } from './project-copy.ts'
import { runAction } from './runner.ts'
import { ROOT, shell } from './shell.ts'

const { cases } = casesOf(import.meta.url)

const VERSION: string = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version

const IDENTITY = cases<Readonly<Record<string, string>>>('IDENTITY')

/** A clone, ready to be released on a day. */
function createClone() {
  const folder = createFolder()
  copyProject(folder)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const git = gitIn(folder)
  const changelog = join(folder, 'CHANGELOG.md')
  const commit = (message: string) => git('commit', '--quiet', '--allow-empty', '--all', '--message', message)
  const date = () => {
    const heading = new RegExp(`^(## \\[${VERSION.replaceAll('.', '\\.')}\\]).*$`, 'm')
    writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(heading, '$1 - 2026-01-31'))
    commit('date the release')
  }
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
  const release = () => shell(`exec "${process.execPath}" scripts/release.ts`, { cwd: folder, env: IDENTITY })
  return { folder, git, date, release }
}

/** Runs what docs/ci.md has GitLab run before the script; answers where the program is then. */
function cloneAsGitLab(repository: string): string {
  const machine = createFolder({ 'opt/': '', 'usr/local/bin/': '' })
  const { sluice } = readPage('docs/ci.md').yaml<{ sluice: { before_script: string[] } }>('.gitlab-ci.yml')
  const script = sluice.before_script
    .join('\n')
    .replace('https://git.example.org/platform/sluice.git', `file://${repository}`)
    .replace(/ (\/(?:opt|usr)\/)/g, ` ${machine}$1`)
  const { status, stdout, stderr } = shell(`${script}\n${machine}/usr/local/bin/sluice version`, { cwd: machine })
  expect(status, stderr).toBe(0)
  expect(stdout).toContain(VERSION)
  return join(machine, 'opt/sluice')
}

describe('npm run release', () => {
  it('tags the built program beside the branch, once', () => {
    const { folder, git, date, release } = createClone()
    date()
    const head = git('rev-parse', 'HEAD')
    const { status, stdout, stderr } = release()
    expect(status, stderr).toBe(0)
    expect(stdout).toContain(`git push origin v${VERSION}`)
    expect(git('rev-parse', `v${VERSION}^{commit}^`)).toBe(head)
    expect(git('rev-parse', `v${VERSION}^{commit}`)).toBe(git('rev-parse', `v${VERSION.split('.')[0]}^{commit}`))
    expect(git('diff', '--name-only', 'HEAD', `v${VERSION}`).split('\n')).toEqual(
      cases('tags the built program beside the branch, once'),
    )
    expect(git('rev-parse', 'HEAD')).toBe(head)
    expect(git('status', '--porcelain')).toBe('')

    expect(release()).toMatchObject({ status: 1, stderr: `release: the tag v${VERSION} is there already\n` })

    const used = cloneAsGitLab(folder)
    const ran = runAction({
      workspace: createFolder({ 'a.yaml': WRONG }),
      event: { name: 'workflow_dispatch', payload: {} },
      action: used,
      programs: { bash: '/bin/bash', node: process.execPath },
      isBare: true,
    })
    expect(ran.log).toContain('::error file=a.yaml,line=15')
    expect(ran.log).not.toContain('building')
    expect(ran).toMatchObject({ status: 1, outputs: { errors: '1' } })
    expect(existsSync(join(used, 'node_modules'))).toBe(false)
  })

  it('rejects a version without a date, and uncommitted changes', () => {
    const { folder, git, date, release } = createClone()
    writeFileSync(join(folder, 'README.md'), 'changed')
    expect(release()).toMatchObject(cases<object>('rejects a version without a date, and uncommitted changes'))
    git('checkout', '--', 'README.md')
    date()
    const changelog = join(folder, 'CHANGELOG.md')
    writeFileSync(changelog, readFileSync(changelog, 'utf8').replace(' - 2026-01-31', ' - unreleased'))
    git('commit', '--quiet', '--all', '--message', 'take the date away')
    expect(release()).toMatchObject({
      status: 1,
      stderr: `release: CHANGELOG.md has no line "## [${VERSION}] - YYYY-MM-DD"\n`,
    })
    expect(git('tag', '--list')).toBe('')
  })
})

describe('the action of a branch', () => {
  it('builds the program once, and then runs', () => {
    const action = createFolder()
    copyProject(action)
    const run = () =>
      runAction({
        workspace: createFolder({ 'a.yaml': WRONG }),
        event: { name: 'workflow_dispatch', payload: {} },
        action,
      })
    const first = run()
    expect(first.log).toContain('sluice: this version of the action is not a release: building the program, once\n')
    expect(first.log).toContain('::error file=a.yaml,line=15')
    expect(first.status).toBe(1)
    expect(run().log).not.toContain('building')
  })

  it('says what to use where it cannot be built', () => {
    const action = createFolder()
    copyProject(action)
    const ran = runAction({
      workspace: createFolder({ 'a.yaml': WRONG }),
      event: { name: 'workflow_dispatch', payload: {} },
      action,
      programs: { bash: '/bin/bash', node: process.execPath },
      isBare: true,
    })
    expect(ran.log).toContain('::error title=sluice::the program cannot be built here (spawnSync npm ENOENT): ')
    expect(ran.log).toContain('use a release of the action, such as @v0')
    expect(ran.status).toBe(2)
  })
})
