/** Where reports go: formats, files, and the log of GitHub Actions. */
import { chmodSync, existsSync, lstatSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

const WARNED = policy().replace('noDelay: true', 'delay: 30')
const INFORMED = policy().replace(/ +zoneSize: .*\n/, '')

const read = (...path: readonly string[]) => readFileSync(join(...path), 'utf8')
const textOf = async (cwd: string, ...argv: readonly string[]) => (await sluice(['lint', ...argv], { cwd })).stdout

describe('--output', () => {
  it('writes files beside the report, each as --format would print it', async () => {
    const cwd = createFolder({ 'k8s/a.yaml': WRONG, 'out/': '' })
    const formats = ['sarif', 'junit', 'github', 'gitlab', 'markdown', 'json']
    const outputs = formats.flatMap((name) => ['--output', `${name}=out/${name}`])
    const { code, stdout, stderr } = await sluice(['lint', 'k8s', ...outputs], { cwd, columns: 80 })
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('\x1b[1;31m1 error')
    for (const name of formats) expect(read(cwd, 'out', name)).toBe(await textOf(cwd, 'k8s', '--format', name))
    expect(readdirSync(join(cwd, 'out')).sort()).toEqual([...formats].sort())
  })

  it('writes text without colours, whatever the terminal is', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const argv = ['lint', 'a.yaml', '--output', 'text=report.txt', '--format', 'json', '--color', 'always']
    await sluice(argv, { cwd, columns: 40 })
    expect(read(cwd, 'report.txt')).toBe(await textOf(cwd, 'a.yaml'))
  })

  it('replaces a file, keeps its mode, follows a link and writes into what is not a regular file', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'old.json': 'old', 'real/target.json': 'old' })
    chmodSync(join(cwd, 'old.json'), 0o640)
    symlinkSync('real/target.json', join(cwd, 'link.json'))
    const outputs = ['json=old.json', 'json=link.json', 'json=/dev/null'].flatMap((output) => ['--output', output])
    expect(await sluice(['lint', 'a.yaml', ...outputs], { cwd })).toMatchObject({ code: 1, stderr: '' })
    const expected = await textOf(cwd, 'a.yaml', '--format', 'json')
    expect(read(cwd, 'old.json')).toBe(expected)
    expect(statSync(join(cwd, 'old.json')).mode & 0o777).toBe(0o640)
    expect(lstatSync(join(cwd, 'link.json')).isSymbolicLink()).toBe(true)
    expect(read(cwd, 'real/target.json')).toBe(expected)
    expect(statSync('/dev/null').isCharacterDevice()).toBe(true)
  })

  it('reports in one line what cannot be written, and writes everything else', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'folder/': '', file: '' })
    const outputs = ['sarif=gone/a.sarif', 'json=folder', 'junit=file/a.xml', 'gitlab=fine.json']
    const { code, stdout, stderr } = await sluice(['lint', ...outputs.flatMap((output) => ['--output', output])], {
      cwd,
    })
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `sluice: gone/a.sarif cannot be written: its folder does not exist
sluice: folder cannot be written: expected a file, found a folder
sluice: file/a.xml cannot be written: a part of the path is not a folder
`,
    })
    expect(stdout).toContain('1 error in 1 file')
    expect(JSON.parse(read(cwd, 'fine.json'))).toHaveLength(1)
    expect(existsSync(join(cwd, 'gone'))).toBe(false)
    expect(readdirSync(cwd).filter((name) => name.startsWith('.sluice'))).toEqual([])
  })

  it('is an error of its own where nothing is wrong', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    expect(await sluice(['lint', '--output', 'sarif=gone/a.sarif'], { cwd })).toMatchObject({ code: 2 })
  })

  it.each([
    [['sarif'], '--output is NAME=FILE, such as sarif=sluice.sarif; got "sarif"'],
    [['sarif='], '--output is NAME=FILE, such as sarif=sluice.sarif; got "sarif="'],
    [
      ['=a.sarif'],
      'NAME in --output NAME=FILE must be one of text, json, sarif, junit, github, gitlab, markdown; got ""',
    ],
    [
      ['sarf=a'],
      'NAME in --output NAME=FILE must be one of text, json, sarif, junit, github, gitlab, markdown; got "sarf"; did you mean "sarif"?',
    ],
    [['json=/dev/stdout'], '--output writes files; for the standard output there is --format json'],
    [['sarif=-'], '--output writes files; for the standard output there is --format sarif'],
    [['sarif=a', 'json=./a'], '--output names ./a twice'],
  ])('rejects %j', async (outputs, message) => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const argv = ['lint', ...outputs.flatMap((output) => ['--output', output])]
    expect(await sluice(argv, { cwd })).toEqual({ code: 2, stdout: '', stderr: `sluice: ${message}\n` })
  })
})

describe('--format', () => {
  it('suggests the format that is meant', async () => {
    expect(await sluice(['lint', '--format', 'markdwon'], { cwd: createFolder() })).toMatchObject({
      code: 2,
      stderr:
        'sluice: --format must be one of text, json, sarif, junit, github, gitlab, markdown; got "markdwon"; did you mean "markdown"?\n',
    })
  })

  it.each(['json', 'sarif', 'junit', 'gitlab'])('%s contains infos by default', async (format) => {
    const cwd = createFolder({ 'a.yaml': INFORMED })
    expect(await textOf(cwd, '--format', format)).toContain('gateway/zone-size-implicit')
    expect(await textOf(cwd, '--format', format, '--quiet')).not.toMatch(
      /"ruleId"|"rule"|check_name|<(skipped|failure)/,
    )
  })

  it.each(['text', 'github', 'markdown'])('%s contains infos with --info', async (format) => {
    const cwd = createFolder({ 'a.yaml': INFORMED })
    expect(await textOf(cwd, '--format', format)).not.toContain('gateway/zone-size-implicit')
    expect(await textOf(cwd, '--format', format, '--info')).toContain('gateway/zone-size-implicit')
  })

  it('junit fails warnings where --max-warnings does, and knows the clean files', async () => {
    const cwd = createFolder({ 'a.yaml': WARNED, 'b.yaml': policy({ name: 'tea' }), 'c.yaml': 'kind: ConfigMap' })
    expect(await textOf(cwd, '--format', 'junit')).toContain('tests="2" failures="0" errors="0" skipped="1"')
    expect(await textOf(cwd, '--format', 'junit', '--max-warnings', '0')).toContain('tests="2" failures="1"')
  })
})

describe('--statistics', () => {
  it('counts below the text, within JSON, and beside what has no place for it', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const line = '  1  gateway/rate-syntax\n'
    expect(await textOf(cwd, '--statistics')).toMatch(new RegExp(`1 error in .*\\n\\n${line}$`))
    expect(JSON.parse(await textOf(cwd, '--statistics', '--format', 'json')).statistics).toEqual([
      { rule: 'gateway/rate-syntax', findings: 1, suppressed: 0 },
    ])
    const { stdout, stderr } = await sluice(['lint', '--statistics', '--format', 'sarif'], { cwd })
    expect(JSON.parse(stdout).version).toBe('2.1.0')
    expect(stderr).toBe(line)
  })
})

describe('in GitHub Actions', () => {
  const env = { GITHUB_ACTIONS: 'true' }

  it('annotations follow the text report without a flag', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const { stdout } = await sluice(['lint'], { cwd, env })
    expect(stdout).toBe((await textOf(cwd)) + (await textOf(cwd, '--format', 'github')))
    expect(stdout).toMatch(/1 error in .*\n::error file=a\.yaml,line=15,/)
    expect((await sluice(['lint', '--format', 'text'], { cwd, env })).stdout).toBe(stdout)
    expect((await sluice(['lint'], { cwd, env: { GITHUB_ACTIONS: 'false' } })).stdout).toBe(await textOf(cwd))
  })

  it.each(['json', 'sarif', 'junit', 'gitlab', 'markdown', 'github'])(
    '%s is all there is where it is asked for',
    async (format) => {
      const cwd = createFolder({ 'a.yaml': WRONG })
      const { stdout } = await sluice(['lint', '--format', format], { cwd, env })
      expect(stdout).toBe(await textOf(cwd, '--format', format))
    },
  )

  it('paths count from the workspace', async () => {
    const workspace = createFolder({ 'apps/k8s/a.yaml': WRONG })
    const cwd = join(workspace, 'apps')
    const { stdout } = await sluice(['lint'], { cwd, env: { ...env, GITHUB_WORKSPACE: workspace } })
    expect(stdout).toMatch(/^k8s\/a\.yaml\n/)
    expect(stdout).toContain('\n::error file=apps/k8s/a.yaml,')
    const gitlab = { GITLAB_CI: 'true', CI_PROJECT_DIR: workspace }
    const report = await sluice(['lint', '--format', 'gitlab'], { cwd, env: gitlab })
    expect(JSON.parse(report.stdout)[0].location.path).toBe('apps/k8s/a.yaml')
  })

  it('no text of a manifest, and no name of a file, is a command', async () => {
    const evil = WRONG.replace('10R/S', '"10R/S" # ##[add-mask]a ::error::b')
    const cwd = createFolder({ '::add-mask::x.yaml': evil })
    const { stdout, stderr } = await sluice(['lint', '.', '##[error]gone'], { cwd, env })
    const [report = '', annotations = ''] = stdout.split(/(?<=, 0\.08 s\n)/)
    expect(report).toContain('\\x3a:add-mask::x.yaml\n')
    expect(report).toContain('# ##\\x5badd-mask]a ::error::b')
    expect(stderr).toBe('sluice: ##\\x5berror]gone: no file to check matches this pattern\n')
    expect(annotations).toMatch(/^::error file=%3A%3Aadd-mask%3A%3Ax\.yaml,[^\n]*\n$/)
  })
})
