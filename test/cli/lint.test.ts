import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy, WRONG } from '../files/folder.ts'
import { sluice } from './run.ts'

/** A policy with one warning, and one with one info. */
const WARNED = policy().replace('noDelay: true', 'delay: 30')
const INFORMED = policy().replace(/ +zoneSize: .*\n/, '')

const json = async (...parameters: Parameters<typeof sluice>) => {
  const { stdout, ...rest } = await sluice([...parameters[0], '--format', 'json'], parameters[1])
  return { ...rest, report: JSON.parse(stdout) }
}

describe('sluice lint', () => {
  it('shows file, line, the token, the remedy and the rule', async () => {
    const cwd = createFolder({ 'k8s/coffee.yaml': WRONG, 'k8s/tea.yaml': policy({ name: 'tea' }) })
    expect(await sluice(['lint'], { cwd })).toEqual({
      code: 1,
      stderr: '',
      stdout: `k8s/coffee.yaml

  15:15  error  "10R/S" is not a valid rate  gateway/rate-syntax
    15 │         rate: 10R/S
       │               ^^^^^
       ╰ help: Write "10r/s".

1 error in 2 files (2 documents), 0.08 s
`,
    })
  })

  it('reports in one line that there are no findings', async () => {
    const cwd = createFolder({ 'a.yaml': policy(), 'b.yaml': 'kind: ConfigMap' })
    expect(await sluice(['lint'], { cwd })).toEqual({
      code: 0,
      stderr: '',
      stdout: 'no problems in 2 files (1 document), 0.08 s\n',
    })
  })

  it('reports in JSON, whole and with all severities', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'b.yaml': INFORMED.replace('coffee', 'tea') })
    const { code, report } = await json(['lint'], { cwd })
    expect(code).toBe(1)
    expect(report.findings[0]).toEqual({
      rule: 'gateway/rate-syntax',
      severity: 'error',
      file: 'a.yaml',
      line: 15,
      column: 15,
      endLine: 15,
      endColumn: 20,
      pointer: '/spec/rateLimit/local/rules/0/rate',
      message: '"10R/S" is not a valid rate',
      help: 'Write "10r/s".',
      object: { kind: 'RateLimitPolicy', namespace: 'shop', name: 'coffee' },
    })
    expect(report.findings.map(({ severity }: { severity: string }) => severity)).toEqual(['error', 'info'])
    expect(report.summary).toEqual({ files: 2, documents: 2, errors: 1, warnings: 0, infos: 1, suppressed: 0 })
  })

  it('counts infos, and shows them with --info', async () => {
    const cwd = createFolder({ 'a.yaml': INFORMED })
    const { code, stdout } = await sluice(['lint'], { cwd })
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: 'no problems in 1 file (1 document), 0.08 s; 1 info with --info\n',
    })
    expect((await sluice(['lint', '--info'], { cwd })).stdout).toMatch(/ info .*\n.*[\s\S]*\n1 info in 1 file/)
  })

  it('shows only errors with --quiet', async () => {
    const cwd = createFolder({ 'a.yaml': WARNED, 'b.yaml': WRONG })
    const { stdout } = await sluice(['lint', '--quiet'], { cwd })
    expect(stdout).not.toContain('warning')
    expect(stdout).toContain('1 error in 2 files')
    expect(await sluice(['lint', '-q', 'a.yaml'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('fails where there are more warnings than allowed, shown or not', async () => {
    const cwd = createFolder({ 'a.yaml': WARNED })
    expect(await sluice(['lint'], { cwd })).toMatchObject({ code: 0 })
    expect(await sluice(['lint', '--max-warnings', '1'], { cwd })).toMatchObject({ code: 0, stderr: '' })
    expect(await sluice(['lint', '--max-warnings=0', '--quiet'], { cwd })).toEqual({
      code: 1,
      stdout: '',
      stderr: 'sluice: 1 warning, and --max-warnings allows 0\n',
    })
  })

  it('takes the name of a rule without its system, and "warn"', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const run = async (rule: string) => (await sluice(['lint', '--rule', rule, '--format', 'json'], { cwd })).stdout
    expect(await run('rate-syntax=warn')).toBe(await run('gateway/rate-syntax=warning'))
    expect(JSON.parse(await run('rate-syntax=warn')).summary).toMatchObject({ errors: 0, warnings: 1 })
  })

  it('sets severities of rules', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const severities = async (...rules: readonly string[]) => {
      const { code, report } = await json(['lint', ...rules.flatMap((rule) => ['--rule', rule])], { cwd })
      return [code, ...report.findings.map(({ severity }: { severity: string }) => severity)]
    }
    expect(await severities('gateway/rate-syntax=off')).toEqual([0])
    expect(await severities('gateway/rate-syntax=warning')).toEqual([0, 'warning'])
    expect(await severities('gateway/rate-syntax=warning', 'gateway/rate-syntax=info')).toEqual([0, 'info'])
  })

  it('judges the standard input', async () => {
    const { code, stdout } = await sluice(['lint', '-'], { stdin: WRONG })
    expect(code).toBe(1)
    expect(stdout).toContain('<stdin>\n\n  15:15  error')
    expect(stdout).toContain('15 │         rate: 10R/S')
  })

  it('gives a namespace to manifests that name none', async () => {
    const { report } = await json(['lint', '-', '-n', 'tea'], { stdin: WRONG.replace('  namespace: shop\n', '') })
    expect(report.findings[0].object.namespace).toBe('tea')
  })

  it('knows what is absent when the files are all there is', async () => {
    const cwd = createFolder({ 'a.yaml': policy() })
    expect((await json(['lint'], { cwd })).report.findings).toEqual([])
    const closed = await json(['lint', '--closed-world'], { cwd })
    expect(closed.report.findings).toMatchObject([{ rule: 'gateway/target-not-found' }])
  })

  it('knows nothing to be absent where not everything was looked into', async () => {
    const cwd = createFolder({ 'a.yaml': policy(), 'c/Chart.yaml': '', 'c/templates/a.yaml': policy() })
    const { code, stderr, report } = await json(['lint', '--closed-world'], { cwd })
    expect({ code, findings: report.findings }).toEqual({ code: 0, findings: [] })
    expect(stderr).toBe(
      'note: c/templates holds the templates of a Helm chart: helm template c | sluice lint -\n' +
        'note: some files could not be read, so --closed-world is ignored: no object counts as absent\n',
    )
  })
})

describe('what cannot be read', () => {
  it('is reported, everything else is judged, and the code is 2', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const { code, stdout, stderr } = await sluice(['lint', 'gone', '.', 'also\x1b[2Jgone'], { cwd })
    expect(code).toBe(2)
    expect(stdout).toContain('1 error in 1 file')
    expect(stderr).toBe('sluice: gone: no such file or folder\nsluice: also\\x1b[2Jgone: no such file or folder\n')
  })

  it('is reported beside a whole JSON report', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG })
    const { code, report } = await json(['lint', 'gone', '.'], { cwd })
    expect({ code, errors: report.summary.errors }).toEqual({ code: 2, errors: 1 })
  })
})

describe('notes', () => {
  const charts = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].flatMap((name) => [
      [`${name}/Chart.yaml`, ''],
      [`${name}/templates/policy.yaml`, policy()],
    ]),
  )

  it('name a few charts, count the others, and are hidden by --quiet', async () => {
    const cwd = createFolder(charts)
    expect(await sluice(['lint'], { cwd })).toEqual({
      code: 0,
      stdout: 'nothing to judge in 5 files (0 documents), 0.08 s\n',
      stderr: `note: a/templates holds the templates of a Helm chart: helm template a | sluice lint -
note: b/templates holds the templates of a Helm chart: helm template b | sluice lint -
note: c/templates holds the templates of a Helm chart: helm template c | sluice lint -
note: the same is true of 2 more charts
`,
    })
    expect(await sluice(['lint', '--quiet'], { cwd })).toEqual({ code: 0, stdout: '', stderr: '' })
  })

  it('report kustomizations that cannot be read', async () => {
    const cwd = createFolder({ 'kustomization.yaml': 'patches: [', 'a.yaml': policy() })
    expect(await sluice(['lint'], { cwd })).toMatchObject({
      code: 0,
      stderr:
        'note: kustomization.yaml: cannot be read: a bracket is never closed, so the patches that it lists are judged like whole manifests\n',
    })
  })
})

describe('settings', () => {
  it('are found above, and hold for rules, overrides and ignores', async () => {
    const folder = createFolder({
      'sluice.config.yaml':
        'rules: { gateway/rate-syntax: warning }\noverrides:\n- { files: [old], rules: { gateway/rate-syntax: off } }\nignores: [gen]\n',
      'k8s/a.yaml': WRONG,
      'k8s/old/a.yaml': WRONG,
      'old/a.yaml': WRONG,
      'gen/a.yaml': WRONG,
    })
    const found = async (...argv: readonly string[]) =>
      (await json(['lint', '..', ...argv], { cwd: `${folder}/k8s` })).report.findings
        .filter(({ rule }: { rule: string }) => rule === 'gateway/rate-syntax')
        .map(({ file, severity }: { file: string; severity: string }) => [file, severity])
    expect(await found()).toEqual([
      ['a.yaml', 'warning'],
      ['old/a.yaml', 'warning'],
    ])
    expect(await found('--rule', 'gateway/rate-syntax=info')).toEqual([
      ['../old/a.yaml', 'info'],
      ['a.yaml', 'info'],
      ['old/a.yaml', 'info'],
    ])
  })

  it('are named on the command line', async () => {
    const cwd = createFolder({ 'a.yaml': WRONG, 'other.yaml': 'rules: { gateway/rate-syntax: off }' })
    expect(await sluice(['lint', '--config', 'other.yaml', 'a.yaml'], { cwd })).toMatchObject({ code: 0 })
    expect(await sluice(['lint', '--config', 'gone.yaml'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'sluice: gone.yaml: no such file or folder\n',
    })
  })

  it('are rejected with file, place and path, everything at once', async () => {
    const cwd = createFolder({ 'sluice.config.yaml': 'rules:\n  gateway/rate-synatx: off\nrulse: {}\n' })
    expect(await sluice(['lint'], { cwd })).toEqual({
      code: 2,
      stdout: '',
      stderr: `sluice: sluice.config.yaml:2:3: rules["gateway/rate-synatx"]: unknown rule "gateway/rate-synatx"; did you mean "gateway/rate-syntax"?
sluice: sluice.config.yaml:3:1: rulse: unknown key; did you mean "rules"?
`,
    })
  })

  it('keep worlds apart', async () => {
    const gateway = 'apiVersion: gateway.networking.k8s.io/v1\nkind: Gateway\nmetadata: { name: g, namespace: shop }\n'
    const cwd = createFolder({
      'sluice.config.yaml': 'worlds: [{ name: eu, paths: [eu] }, { name: us, paths: [us] }]\n',
      'eu/a.yaml': policy(),
      'us/a.yaml': policy(),
      'us/g.yaml': gateway,
    })
    const { report } = await json(['lint', '--closed-world'], { cwd })
    expect(report.findings.filter(({ rule }: { rule: string }) => rule === 'gateway/conflict')).toEqual([])
    expect(report.summary.documents).toBe(3)
  })
})

describe('a file that looks like the settings', () => {
  it.each([
    ...['sluice.config.yml', '.sluice.yaml', 'sluice.yaml', 'sluice.config.json', '.sluicerc'],
    ...['sluice.confg.yaml', 'sluice.config.yam', 'slucie.config.yaml', 'sluice-config.yaml', 'sluice.configs.yml'],
  ])('is named in a note: %s', async (name) => {
    const cwd = createFolder({ [name]: 'rules: {}\n', 'k8s/a.yaml': policy() })
    const { code, stderr } = await sluice(['lint', 'a.yaml'], { cwd: join(cwd, 'k8s') })
    expect([code, stderr]).toEqual([0, `note: ../${name} is not read: the settings are in sluice.config.yaml\n`])
  })

  it('is not looked for beyond the repository, and is no matter beside the settings', async () => {
    const files = { '.sluice.yaml': '', 'repo/.git/': '', 'repo/a.yaml': policy() }
    expect((await sluice(['lint'], { cwd: join(createFolder(files), 'repo') })).stderr).toBe('')
    expect((await sluice(['lint'], { cwd: createFolder({ ...files, 'sluice.config.yaml': '' }) })).stderr).toBe('')
  })
})

describe('worlds', () => {
  const worlds = (paths: string) => `worlds:\n- name: eu\n  paths: [${paths}]\n- paths: [us]\n`

  it('without a name, and with a glob that matches nothing, are errors with their places', async () => {
    const cwd = createFolder({ 'sluice.config.yaml': worlds('eu/**, ue/**'), 'eu/a.yaml': policy() })
    for (const command of [['lint'], ['status'], ['effective', 'HTTPRoute/coffee']])
      expect(await sluice(command, { cwd })).toEqual({
        code: 2,
        stdout: '',
        stderr: `sluice: sluice.config.yaml:3:18: worlds[0].paths[1]: no file matches "ue/**"
sluice: sluice.config.yaml:4:3: worlds[1]: "name" is missing
sluice: sluice.config.yaml:4:11: worlds[1].paths[0]: no file matches "us"
`,
      })
  })

  it('may be of other files than those of the run', async () => {
    const cwd = createFolder({
      'sluice.config.yaml': 'worlds:\n- { name: eu, paths: [eu/**] }\n- { name: us, paths: [us/*/*.yaml] }\n',
      'eu/a.yaml': policy(),
      'us/deep/a.yaml': policy(),
    })
    expect((await sluice(['lint', 'eu'], { cwd })).code).toBe(0)
  })
})

describe('the terminal', () => {
  const cwd = () => createFolder({ 'a.yaml': WRONG })
  const isPainted = async (argv: readonly string[], options: Parameters<typeof sluice>[1]) =>
    (await sluice(['lint', ...argv], { cwd: cwd(), ...options })).stdout.includes('\x1b[')

  it.each([
    ['a file', [], {}, false],
    ['a terminal', [], { columns: 80 }, true],
    ['a dumb terminal', [], { columns: 80, env: { TERM: 'dumb' } }, false],
    ['NO_COLOR', [], { columns: 80, env: { NO_COLOR: '1' } }, false],
    ['an empty NO_COLOR', [], { columns: 80, env: { NO_COLOR: '' } }, true],
    ['FORCE_COLOR', [], { env: { FORCE_COLOR: '1' } }, true],
    ['FORCE_COLOR=0', [], { columns: 80, env: { FORCE_COLOR: '0' } }, false],
    ['NO_COLOR over FORCE_COLOR', [], { env: { NO_COLOR: '1', FORCE_COLOR: '1' } }, false],
    ['--color always', ['--color', 'always'], { env: { NO_COLOR: '1' } }, true],
    ['--color never', ['--color=never'], { columns: 80, env: { FORCE_COLOR: '1' } }, false],
    ['--color auto', ['--color', 'auto'], { columns: 80 }, true],
  ])('decides on colours: %s', async (_, argv, options, painted) => {
    expect(await isPainted(argv, options)).toBe(painted)
  })

  it('shows how far a long run is, and takes it away again', async () => {
    let time = 0
    const now = () => {
      time += 600
      return time
    }
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, index) => [`${index}.yaml`, policy({ name: `p${index}` })]),
    )
    const { stderr } = await sluice(['lint'], { cwd: createFolder(files), columns: 80, now })
    expect(stderr).toContain('\rreading 2 files …\x1b[K')
    expect(stderr).toContain('\rjudging ')
    expect(stderr.endsWith('\r\x1b[K')).toBe(true)
    expect((await sluice(['lint'], { cwd: createFolder(files), now })).stderr).toBe('')
  })
})
