import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readSettings } from '../../src/settings/file.ts'
import { DEFAULT_PROJECT, DEFAULT_SETTINGS } from '../../src/settings/settings.ts'

const IDS = ['gateway/rate-syntax', 'gateway/rate-zero', 'gateway/zone-memory', 'mesh/config']

/** What is wrong, as the command line prints it. */
function problemsOf(text: string): readonly string[] {
  const outcome = readSettings(text, IDS)
  return outcome.ok
    ? []
    : outcome.problems.map(({ line, column, path, message }) => `${line}:${column} ${path}: ${message}`)
}

function read(text: string) {
  const outcome = readSettings(text, IDS)
  if (!outcome.ok) throw new Error(problemsOf(text).join('\n'))
  return outcome.project
}

describe('settings', () => {
  it.each(['', '# nothing\n', '{}', '---\n', 'null'])('are the defaults in a file with %j', (text) => {
    expect(read(text)).toEqual(DEFAULT_PROJECT)
  })

  it('may set everything', () => {
    const text = `
rules:
  gateway/rate-syntax: warning
  gateway/rate-zero: off
  mesh/config: "off"
ruleset: "1.0"
platform: { nginxVersion: "1.27.4", plus: true, pageSize: 16384, variables: [tenant, $plan] }
budgets: { zoneMemory: 64m, expectedKeys: 50000, queueSeconds: 2.5 }
composition: inherit
conflict: any-field
zoneNaming: keyed
affectedRoutes: attached
worlds:
- { name: eu, paths: [clusters/eu] }
- { name: us, paths: [clusters/us, shared] }
overrides:
- { files: [legacy/**], rules: { gateway/rate-zero: info, gateway/zone-memory: off } }
ignores: [build, "*.tmp.yaml"]
apiGroups: { vendor: acme, platform: x-k8s }
mesh: true
meshMtls: strict
admission: { enforce: warn, strict: true, crossObject: deny, keyChange: resize, onFault: deny }
`
    expect(read(text)).toEqual({
      settings: {
        rules: { 'gateway/rate-syntax': 'warning', 'gateway/rate-zero': 'off', 'mesh/config': 'off' },
        ruleset: '1.0',
        platform: { nginxVersion: '1.27.4', plus: true, pageSize: 16384, variables: ['tenant', 'plan'] },
        budgets: { zoneMemory: 64 * 1024 * 1024, expectedKeys: 50000, queueSeconds: 2.5 },
        composition: 'inherit',
        conflict: 'any-field',
        zoneNaming: 'keyed',
        affectedRoutes: 'attached',
        apiGroups: { vendor: 'acme', platform: 'x-k8s' },
        mesh: true,
        meshMtls: 'strict',
      },
      worlds: [
        { name: 'eu', paths: ['clusters/eu'] },
        { name: 'us', paths: ['clusters/us', 'shared'] },
      ],
      overrides: [{ files: ['legacy/**'], rules: { 'gateway/rate-zero': 'info', 'gateway/zone-memory': 'off' } }],
      ignores: ['build', '*.tmp.yaml'],
      admission: { enforce: 'warn', strict: true, crossObject: 'deny', keyChange: 'resize', onFault: 'deny' },
    })
  })

  it('keep the defaults of what they do not set', () => {
    expect(read('platform: { plus: true }\nbudgets: { zoneMemory: 1048576 }').settings).toEqual({
      ...DEFAULT_SETTINGS,
      platform: { ...DEFAULT_SETTINGS.platform, plus: true },
      budgets: { ...DEFAULT_SETTINGS.budgets, zoneMemory: 1048576 },
    })
  })

  it.each([
    ['k', 512 * 1024],
    ['m', 512 * 1024 ** 2],
    ['g', 512 * 1024 ** 3],
    ['', 512],
  ])('read zoneMemory "512%s" as bytes', (unit, bytes) => {
    expect(read(`budgets: { zoneMemory: "512${unit}" }`).settings.budgets.zoneMemory).toBe(bytes)
  })

  it('have a published schema that stands in the package', () => {
    const schema: unknown = JSON.parse(readFileSync('schemas/sluice.config.schema.json', 'utf8'))
    expect(schema).toMatchObject({ type: 'object', additionalProperties: false })
    expect(read('$schema: ./node_modules/sluice/schemas/sluice.config.schema.json')).toEqual(DEFAULT_PROJECT)
  })
})

describe('mistakes in settings', () => {
  it.each([
    ['rulse: {}', '1:1 rulse: unknown key; did you mean "rules"?'],
    [
      'zzzzzz: {}',
      '1:1 zzzzzz: unknown key; known are rules, ruleset, platform, budgets, composition, conflict, zoneNaming, affectedRoutes, worlds, overrides, ignores, apiGroups, mesh, meshMtls, admission',
    ],
    [
      'platform: { nginx: "1.2" }',
      '1:13 platform.nginx: unknown key; known are nginxVersion, plus, pageSize, variables',
    ],
    ['platform: { pagesize: 4096 }', '1:13 platform.pagesize: unknown key; did you mean "pageSize"?'],
    [
      'rules: { gateway/rate-synatx: off }',
      '1:10 rules["gateway/rate-synatx"]: unknown rule "gateway/rate-synatx"; did you mean "gateway/rate-syntax"?',
    ],
    ['rules: { rate-zero: off }', '1:10 rules.rate-zero: unknown rule "rate-zero"; did you mean "gateway/rate-zero"?'],
    [
      'rules: { mesh/rate-zero: off }',
      '1:10 rules["mesh/rate-zero"]: unknown rule "mesh/rate-zero"; did you mean "gateway/rate-zero"?',
    ],
    ['rules: { a/b: off }', '1:10 rules["a/b"]: unknown rule "a/b"; "sluice rules" lists them'],
    [
      'rules: { gateway/rate-zero: fatal }',
      '1:29 rules["gateway/rate-zero"]: expected off, info, warning or error; got "fatal"',
    ],
    [
      'rules: { gateway/rate-zero: on }',
      '1:29 rules["gateway/rate-zero"]: expected off, info, warning or error; got true',
    ],
    ['rules: [gateway/rate-zero]', '1:8 rules: expected a mapping; got a list'],
    [
      'overrides: [{ files: [a], rules: { gateway/rate-zeor: off } }]',
      '1:36 overrides[0].rules["gateway/rate-zeor"]: unknown rule "gateway/rate-zeor"; did you mean "gateway/rate-zero"?',
    ],
    ['overrides: [{ files: [a] }]', '1:13 overrides[0]: "rules" is missing'],
    [
      'platform: { nginxVersion: 1.30 }',
      '1:27 platform.nginxVersion: expected a version in quotes, such as "1.31" or "1.31.2"; got the number 1.3 (write "1.30")',
    ],
    [
      'platform: { nginxVersion: latest }',
      '1:27 platform.nginxVersion: expected a version in quotes, such as "1.31" or "1.31.2"; got "latest"',
    ],
    ['ruleset: 1.0', '1:10 ruleset: expected a release in quotes, such as "1.0"; got the number 1 (write "1.0")'],
    [
      'platform: { pageSize: 4097 }',
      '1:23 platform.pageSize: expected 4096, 8192, 16384, 32768 or 65536; got the number 4097',
    ],
    [
      'budgets: { zoneMemory: 256 MiB }',
      '1:24 budgets.zoneMemory: expected a size such as "256m", or a number of bytes; got "256 MiB"',
    ],
    ['budgets: { queueSeconds: 0 }', '1:26 budgets.queueSeconds: expected a number above 0; got the number 0'],
    ['worlds: [{ name: eu, paths: [] }]', '1:29 worlds[0].paths: expected at least one entry; got an empty list'],
    ['ignores: build', '1:10 ignores: expected a list; got "build"'],
    ['worlds: [{ paths: [a] }]', '1:10 worlds[0]: "name" is missing'],
    [
      'worlds: [{ name: eu, paths: [a] }, { name: eu, paths: [b] }]',
      '1:44 worlds[1].name: another world has the name "eu" already',
    ],
    ['worlds: eu', '1:9 worlds: expected a list; got "eu"'],
    [
      'apiGroups: { vendor: A_B }',
      '1:22 apiGroups.vendor: expected a name of lower-case letters, digits and hyphens; got "A_B"',
    ],
    ['meshMtls: permissive', '1:11 meshMtls: expected any or strict; got "permissive"'],
    ['zoneNaming: hashed', '1:13 zoneNaming: expected indexed or keyed; got "hashed"'],
    ['composition: both', '1:14 composition: expected stack or inherit; got "both"'],
    ['- rules', '1:1 : expected a mapping; got a list'],
    ['just text', '1:1 : expected a mapping; got "just text"'],
  ])('%s', (text, problem) => {
    expect(problemsOf(text)).toEqual([problem])
  })

  it('are reported all at once, in the order of the file', () => {
    const text = 'conflict: all\nrules:\n  gateway/rate-zeor: off\n  gateway/zone-memory: loud\nignore: []\n'
    expect(problemsOf(text)).toEqual([
      '1:11 conflict: expected same-field or any-field; got "all"',
      '3:3 rules["gateway/rate-zeor"]: unknown rule "gateway/rate-zeor"; did you mean "gateway/rate-zero"?',
      '4:24 rules["gateway/zone-memory"]: expected off, info, warning or error; got "loud"',
      '5:1 ignore: unknown key; did you mean "ignores"?',
    ])
  })

  it('are globs of worlds that match no file, beside all others', () => {
    const text = 'worlds:\n- { name: eu, paths: [eu, us/**] }\n- { paths: [ue/**] }\n- { name: eu, paths: [eu] }\n'
    const outcome = readSettings(text, IDS, (glob) => glob === 'eu')
    expect(outcome.ok ? [] : outcome.problems.map(({ line, path, message }) => `${line} ${path}: ${message}`)).toEqual([
      '2 worlds[0].paths[1]: no file matches "us/**"',
      '3 worlds[1]: "name" is missing',
      '3 worlds[1].paths[0]: no file matches "ue/**"',
      '4 worlds[2].name: another world has the name "eu" already',
    ])
  })

  it('that are not YAML are reported with their place', () => {
    const [problem, ...others] = problemsOf('rules:\n  gateway/rate-zero: [\n')
    expect(problem).toMatch(/^[23]:\d+ : /)
    expect(others).toEqual([])
  })

  it('report a key that is defined twice and a second document', () => {
    expect(problemsOf('ruleset: "1.0"\nruleset: "1.1"\n')).toEqual(['2:1 : duplicate key "ruleset"'])
    expect(problemsOf('ruleset: "1.0"\n---\nruleset: "1.1"\n')).toEqual([
      expect.stringMatching(/^2:\d+ : expected one document, found a second$|^3:\d+ : expected one document/),
    ])
  })

  it.each([
    '__proto__: 1',
    'constructor: {}',
    'rules: { toString: off }',
    'rules: { "": off }',
    '? [a]\n: b',
    'rules: ~',
  ])('survives %j', (text) => {
    expect(problemsOf(text).length).toBeGreaterThan(0)
  })
})
