/** `sluice init` writes settings, a hook and a workflow that work, and overwrites nothing unasked. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { readSettings } from '../../src/settings/file.ts'
import { DEFAULT_PROJECT } from '../../src/settings/settings.ts'
import { createFolder, policy } from '../files/folder.ts'
import { sluice } from './run.ts'

const [SETTINGS, HOOK, WORKFLOW] = ['sluice.config.yaml', '.pre-commit-config.yaml', '.github/workflows/sluice.yml']

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

describe('sluice init', () => {
  it('writes settings that change nothing, and that lint takes', async () => {
    const cwd = createFolder({ 'k8s/coffee.yaml': policy() })
    expect(await sluice(['init'], { cwd })).toEqual({ code: 0, stdout: `wrote ${SETTINGS}\n`, stderr: '' })
    const text = readFileSync(join(cwd, SETTINGS), 'utf8')
    const ids = RULES.map(({ id }) => id)
    expect(readSettings(text, ids)).toEqual({ ok: true, project: DEFAULT_PROJECT })
    expect(await sluice(['lint'], { cwd })).toMatchObject({ code: 0, stderr: '' })
  })

  it('has only comments that are valid settings, too', () => {
    const cwd = createFolder()
    return sluice(['init'], { cwd }).then(() => {
      const text = readFileSync(join(cwd, SETTINGS), 'utf8')
      const uncommented = text
        .replace('rules: {}\n', 'rules:\n')
        .replace(/^# ((?:ruleset|worlds|overrides):|- | {2})/gm, '$1')
      const outcome = readSettings(
        uncommented,
        RULES.map(({ id }) => id),
      )
      expect(outcome).toMatchObject({
        ok: true,
        project: {
          settings: { ruleset: expect.any(String), rules: { 'gateway/zone-size-implicit': 'warning' } },
          worlds: [{ name: 'eu' }, { name: 'us' }],
          overrides: [{ files: ['sandbox/**'] }],
        },
      })
    })
  })

  it('writes a hook and a workflow at the top of the repository', async () => {
    const root = createFolder({ '.git/': '', 'k8s/': '' })
    const { stdout } = await sluice(['init', '--hook', '--workflow'], { cwd: join(root, 'k8s') })
    expect(stdout).toBe(`wrote ${SETTINGS}\nwrote ../${HOOK}\nwrote ../${WORKFLOW}\n`)
    expect(filesIn(root)).toEqual([WORKFLOW, HOOK, `k8s/${SETTINGS}`])
    expect(load(readFileSync(join(root, HOOK), 'utf8'))).toMatchObject({
      repos: [{ repo: 'local', hooks: [{ id: 'sluice-lint', entry: 'npx --no-install sluice lint --within .' }] }],
    })
    expect(await sluice(['lint', root], { cwd: root })).toMatchObject({ code: 0, stderr: '' })
  })

  it('takes the repository and the action of sluice', async () => {
    const cwd = createFolder()
    await sluice(['init', '--hook=https://git.example.org/platform/sluice', '--workflow=your-org/sluice@v0'], { cwd })
    expect(load(readFileSync(join(cwd, HOOK), 'utf8'))).toMatchObject({
      repos: [{ repo: 'https://git.example.org/platform/sluice', rev: expect.stringMatching(/^v\d/), hooks: [{}] }],
    })
    expect(load(readFileSync(join(cwd, WORKFLOW), 'utf8'))).toMatchObject({
      jobs: { lint: { steps: [{ uses: 'actions/checkout@v6' }, { uses: 'your-org/sluice@v0' }] } },
    })
  })

  it.each([
    ['y\nn\n', [HOOK, SETTINGS]],
    ['\nYes\n', [WORKFLOW, SETTINGS]],
    ['y', [HOOK, SETTINGS]],
    ['', [SETTINGS]],
  ])('asks on a terminal: %j', async (stdin, files) => {
    const cwd = createFolder()
    const { stdout, code } = await sluice(['init'], { cwd, stdin, columns: 80 })
    expect(code).toBe(0)
    expect(stdout).toContain('lints changed manifests? [y/N] Write a workflow')
    expect(filesIn(cwd)).toEqual([...files].sort())
  })

  it('keeps files that exist, unless it is forced', async () => {
    const cwd = createFolder({ [SETTINGS]: '# mine\n', [HOOK]: 'repos: []\n' })
    const kept = await sluice(['init', '--hook', '--workflow'], { cwd })
    expect(kept.stdout).toContain(`kept ${SETTINGS}, which exists: --force overwrites it\n`)
    expect(kept.stdout).toContain('its hook would be:\n\nrepos:\n')
    expect(kept.stdout).toContain(`wrote ${WORKFLOW}\n`)
    expect([SETTINGS, HOOK].map((file) => readFileSync(join(cwd, file), 'utf8'))).toEqual(['# mine\n', 'repos: []\n'])
    await sluice(['init', '--hook', '--force'], { cwd })
    expect(readFileSync(join(cwd, SETTINGS), 'utf8')).toContain('platform:')
    expect(readFileSync(join(cwd, HOOK), 'utf8')).toContain('sluice-lint')
  })

  it.each([
    [['init', 'k8s'], '"sluice init" writes into the current folder; got "k8s"'],
    [['init', '--hook=a b'], '--hook=a b: expected the URL of a Git repository'],
    [['init', '--workflow=sluice'], '--workflow=sluice: expected OWNER/REPO@REF, such as your-org/sluice@v0'],
  ])('says what is wrong: %j', async (argv, message) => {
    const cwd = createFolder()
    expect(await sluice(argv, { cwd })).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` })
    expect(filesIn(cwd)).toEqual([])
  })

  it('says why it cannot write', async () => {
    const cwd = createFolder()
    mkdirSync(join(cwd, SETTINGS))
    writeFileSync(join(cwd, '.github'), '')
    expect(await sluice(['init', '--force'], { cwd })).toMatchObject({
      code: 2,
      stderr: `sluice: ${SETTINGS}: expected a file, found a folder\n`,
    })
    expect((await sluice(['init', '--workflow'], { cwd })).stderr).toContain(WORKFLOW)
    expect(existsSync(join(cwd, WORKFLOW))).toBe(false)
  })
})
