/** Which rules judge, which files are judged, and with which settings: --only, --exclude, --list-files and the like. */
import { describe, expect, it } from 'vitest'
import { RULES } from '../../rules/index.ts'
import { readSettings } from '../../src/settings/file.ts'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { type IoOptions, sluice } from './run.ts'

/** What is found, as `file rule`. */
async function found(cwd: string, argv: readonly string[], options: IoOptions = {}) {
  const { stdout, stderr } = await sluice(['lint', '--format', 'json', ...argv], { cwd, ...options })
  const { findings }: { findings: readonly { file: string; rule: string }[] } = JSON.parse(stdout)
  return { found: findings.map(({ file, rule }) => `${file} ${rule}`), stderr }
}

/** Two errors: of `rate-syntax` and of `burst-integer` or its like. */
const TWO = policy({ rate: '10R/S' }).replace('burst: 20', 'burst: -5')

describe('--only', () => {
  it('leaves one rule, named in full or in short, also where the settings switch it off', async () => {
    const cwd = createFolder({
      'a.yaml': TWO,
      'sluice.config.yaml':
        'rules: { gateway/rate-syntax: off }\noverrides: [{ files: ["*"], rules: { gateway/schema: error } }]\n',
    })
    expect((await found(cwd, [])).found).not.toContain('a.yaml gateway/rate-syntax')
    expect((await found(cwd, [])).found).not.toEqual([])
    for (const name of ['rate-syntax', 'gateway/rate-syntax'])
      expect((await found(cwd, ['--only', name])).found).toEqual(['a.yaml gateway/rate-syntax'])
  })

  it('reports no comment that suppresses another rule as not needed', async () => {
    const cwd = createFolder({ 'a.yaml': `# sluice-disable-file gateway/schema -- a reason\n${TWO}` })
    expect((await found(cwd, ['--only', 'rate-syntax'])).found).toEqual(['a.yaml gateway/rate-syntax'])
  })

  it('runs a rule of a later release than that of the settings', async () => {
    const cwd = createFolder({ 'sluice.config.yaml': 'ruleset: "0.0"\n', 'a.yaml': TWO })
    expect((await found(cwd, ['--only', 'rate-syntax'])).found).toEqual(['a.yaml gateway/rate-syntax'])
  })

  it('says what is meant', async () => {
    expect(await sluice(['lint', '--only', 'rate-sintax'])).toMatchObject({
      code: 2,
      stderr: 'sluice: --only rate-sintax: unknown rule "rate-sintax"; did you mean "gateway/rate-syntax"?\n',
    })
  })
})

describe('--exclude', () => {
  it('leaves out folders, files and globs, also those that are named', async () => {
    const files = { 'a.yaml': WRONG, 'vendor/b.yaml': WRONG, 'k8s/c.yaml': WRONG, 'k8s/d.yaml': WRONG }
    const cwd = createFolder(files)
    const judged = async (...argv: readonly string[]) =>
      [...new Set((await found(cwd, argv)).found.map((line) => line.split(' ')[0]))].sort()
    expect(await judged('--exclude', 'vendor')).toEqual(['a.yaml', 'k8s/c.yaml', 'k8s/d.yaml'])
    expect(await judged('--exclude', '**/{c,d}.yaml')).toEqual(['a.yaml', 'vendor/b.yaml'])
    expect(await judged('--exclude', 'k8s/', '--exclude', 'vendor', 'a.yaml', 'k8s/c.yaml')).toEqual(['a.yaml'])
    expect(await judged('--exclude', 'k8s', 'k8s/c.yaml', 'k8s')).toEqual([])
    expect(await judged('--exclude', 'k8s', '--within', '.', 'k8s/c.yaml', 'a.yaml')).toEqual(['a.yaml'])
  })

  it('is relative to the working directory', async () => {
    const cwd = createFolder({ 'sluice.config.yaml': '', 'k8s/c.yaml': WRONG, 'k8s/k8s/d.yaml': WRONG })
    expect((await found(`${cwd}/k8s`, ['--exclude', 'k8s'])).found).toEqual(['c.yaml gateway/rate-syntax'])
  })

  it('keeps what is excluded out of a comparison', async () => {
    const cwd = createFolder({
      'now/a.yaml': policy(),
      'now/x/b.yaml': WRONG,
      'old/a.yaml': policy(),
      'old/x/b.yaml': WRONG,
    })
    expect(await found(`${cwd}/now`, ['--exclude', 'x', '--old', '../old'])).toEqual({ found: [], stderr: '' })
  })
})

describe('--list-files', () => {
  it('lists what is judged, and says why the rest is not', async () => {
    const { folder: cwd, commit } = createRepository()
    commit({
      '.gitignore': 'ignored.yaml\n',
      'ignored.yaml': WRONG,
      '.hidden/a.yaml': WRONG,
      'node_modules/a.yaml': WRONG,
      'attic/a.yaml': WRONG,
      'out/a.yaml': WRONG,
      'sluice.config.yaml': 'ignores: [attic]\n',
      'chart/Chart.yaml': 'name: chart\n',
      'chart/values.yaml': 'a: 1\n',
      'chart/templates/a.yaml': WRONG,
      'base/kustomization.yaml': 'resources: [a.yaml]\npatches: [{ path: patch.yaml }]\n',
      'base/a.yaml': WRONG,
      'base/patch.yaml': WRONG,
      'readme.md': WRONG,
      'other.yaml': 'a: 1\n',
    })
    const { code, stdout, stderr } = await sluice(['lint', '--list-files', '--exclude', 'out'], { cwd })
    expect(code).toBe(0)
    expect(stdout.split('\n')).toContain('base/a.yaml')
    expect(stdout).not.toMatch(/attic|out|hidden|node_modules|chart|ignored|other|readme/)
    const reasons = new Map(
      [...stderr.matchAll(/^left out: (\S+) \((.*)\)$/gm)].map(([, file, reason]) => [file, reason]),
    )
    expect(Object.fromEntries(reasons)).toMatchObject({
      'ignored.yaml': 'ignored by Git',
      '.hidden': 'hidden folder',
      node_modules: 'folder of packages',
      attic: expect.stringContaining('ignores'),
      out: expect.stringContaining('--exclude'),
      'chart/values.yaml': 'values of a Helm chart',
      'chart/templates': expect.stringContaining('helm template'),
      'other.yaml': expect.stringContaining('names no object'),
    })
    expect(reasons.has('.git')).toBe(false)
    expect(await sluice(['lint', '--list-files', '--exclude', 'out', '-q'], { cwd })).toMatchObject({ stderr: '' })
  })

  it('is about files', async () => {
    for (const flag of ['--cluster', '--format=json', '--output=a.json'])
      expect(await sluice(['lint', '--list-files', flag])).toMatchObject({ code: 2 })
    expect(await sluice(['lint', '--list-files', 'missing.yaml'], { cwd: createFolder() })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sluice: missing.yaml: no such file or folder\n',
    })
  })
})

describe('--stdin-filename', () => {
  const CONFIG = 'overrides: [{ files: [k8s/**], rules: { gateway/rate-syntax: warning } }]\n'

  it('names the standard input in the report, and lets the settings of that file hold', async () => {
    const cwd = createFolder({ 'sluice.config.yaml': CONFIG, 'k8s/a.yaml': policy(), 'k8s/b.yaml': WRONG })
    const { stdout, code } = await sluice(['lint', '-', '--stdin-filename', 'k8s/a.yaml'], { cwd, stdin: WRONG })
    expect(stdout).toMatch(/^k8s\/a\.yaml\n\n {2}\d+:\d+ {2}warning {2}"10R\/S"/)
    expect(stdout).toContain('1 warning in 1 file')
    expect(code).toBe(0)
  })

  it('stands for a file that is not there yet, in a kustomization too', async () => {
    const cwd = createFolder({ 'k8s/kustomization.yaml': 'namespace: shop\nresources: [new.yaml]\n' })
    const stdin = policy({ namespace: '', rate: '10R/S' })
    const { stdout } = await sluice(['lint', '-', '--stdin-filename', 'k8s/new.yaml', '--format', 'json'], {
      cwd,
      stdin,
    })
    expect(JSON.parse(stdout).findings).toMatchObject([{ file: 'k8s/new.yaml', object: { namespace: 'shop' } }])
    expect((await found(cwd, ['-', '--stdin-filename', 'no/folder/a.yaml'], { stdin })).found).toHaveLength(1)
  })

  it('takes the place of the file among the others of --within', async () => {
    const owner = (name: string) => policy({ name }).replace('  rateLimit:\n', '  rateLimit:\n    rejectCode: 429\n')
    const cwd = createFolder({ 'a.yaml': owner('americano'), 'b.yaml': 'kind: ConfigMap\n' })
    for (const file of ['b.yaml', 'new.yaml'])
      expect(
        (await found(cwd, ['-', '--within', '.', '--stdin-filename', file], { stdin: owner('coffee') })).found,
      ).toEqual([`${file} gateway/conflict`])
  })

  it('goes with --fix, which prints the fixed text', async () => {
    const cwd = createFolder({ 'a.yaml': 'kind: ConfigMap\n' })
    const { stdout } = await sluice(['lint', '-', '--fix', '--stdin-filename', 'a.yaml'], { cwd, stdin: WRONG })
    expect(stdout).toBe(policy())
  })

  it('needs the standard input', async () => {
    expect(await sluice(['lint', '--stdin-filename', 'a.yaml'])).toMatchObject({
      code: 2,
      stderr: 'sluice: --stdin-filename names the standard input: sluice lint - --stdin-filename a.yaml\n',
    })
  })
})

describe('--print-config', () => {
  const CONFIG = `ruleset: "0.0"
rules: { gateway/rate-syntax: warning }
platform: { nginxVersion: "1.25" }
worlds: [{ name: eu, paths: [eu/**] }]
overrides: [{ files: [eu/**], rules: { gateway/rate-syntax: info } }]
ignores: [eu/attic]
`
  const ids = RULES.map(({ id }) => id)
  const printed = async (file: string, ...argv: readonly string[]) => {
    const cwd = createFolder({ 'sluice.config.yaml': CONFIG, 'eu/a.yaml': policy() })
    const { stdout, code, stderr } = await sluice(['lint', '--print-config', file, ...argv], { cwd })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const outcome = readSettings(stdout, ids)
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.problems))
    return { stdout, settings: outcome.project.settings }
  }

  it('prints settings that are a settings file, with the severity of every rule', async () => {
    const { stdout, settings } = await printed('us/a.yaml')
    expect(stdout).toMatch(/^# settings of us\/a\.yaml, from sluice\.config\.yaml\n[^#]/)
    expect(Object.keys(settings.rules).sort()).toEqual([...ids].sort())
    expect(settings).toMatchObject({ ruleset: '0.0', platform: { nginxVersion: '1.25', pageSize: 4096 } })
    expect(settings.rules).toMatchObject({ 'gateway/rate-syntax': 'warning', 'gateway/schema': 'error' })
    const later = RULES.filter(({ since }) => since !== undefined).map(({ id }) => settings.rules[id])
    expect(new Set(later)).toEqual(new Set(later.length > 0 ? ['off'] : []))
  })

  it('shows what overrides, worlds, ignores and flags do to the file', async () => {
    const { stdout, settings } = await printed('eu/attic/a.yaml', '--rule', 'gateway/key-constant=info')
    expect(stdout).toContain('\n# world: eu\n# left out by ignores, unless the command line names it\n')
    expect(settings.rules).toMatchObject({ 'gateway/rate-syntax': 'info', 'gateway/key-constant': 'info' })
    const only = await printed('eu/a.yaml', '--only', 'schema', '--exclude', 'eu')
    expect(only.stdout).toContain('# left out by --exclude\n')
    expect(Object.values(only.settings.rules).filter((severity) => severity !== 'off')).toHaveLength(1)
  })

  it('judges nothing', async () => {
    expect(await sluice(['lint', '--print-config', 'a.yaml', 'k8s'])).toMatchObject({ code: 2 })
  })
})
