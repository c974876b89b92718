/** The command line in repositories with kustomizations. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { findingsIn, KEY_CHANGE } from './key-changes.ts'
import { sluice } from './run.ts'

type Finding = {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
  readonly builds?: readonly string[]
}

/** `file:line rule`, and the builds where there are several. */
async function lint(cwd: string, ...argv: readonly string[]) {
  const { code, stdout, stderr } = await sluice(['lint', '--format', 'json', ...argv], { cwd })
  const findings: readonly Finding[] = JSON.parse(stdout).findings
  const found = findings.map(({ file, line, rule, builds }) =>
    [`${file}:${line}`, rule, ...(builds ? [`in ${builds.join(' and ')}`] : [])].join(' '),
  )
  return { code, stderr, found }
}

const bare = (rate = '10r/s') => policy({ namespace: '', rate })
const patch = (limits: string) => `apiVersion: gateway.nginx.org/v1alpha1
kind: RateLimitPolicy
metadata:
  name: coffee
spec:
  rateLimit:
    local:
      rules:
      - key: $binary_remote_addr
        zoneSize: 10m
        ${limits}
`

/** A base of which two overlays are built. */
const shop = (base: string, eu: string, us = eu) => ({
  'base/kustomization.yaml': 'resources: [policy.yaml]\n',
  'base/policy.yaml': base,
  'overlays/eu/kustomization.yaml': `namespace: eu\nresources: [../../base]\n${eu}`,
  'overlays/us/kustomization.yaml': `namespace: us\nresources: [../../base]\n${us}`,
})

const PATCHED = 'patches:\n- path: rate.yaml\n'

describe('a base that several overlays build on', () => {
  it('is judged in each, and reported once per outcome', async () => {
    const cwd = createFolder({ ...shop(bare('10R/s'), ''), 'plain.yaml': policy({ name: 'tea' }) })
    expect((await lint(cwd)).found).toEqual(['base/policy.yaml:14 gateway/rate-syntax in overlays/eu and overlays/us'])
    const { stdout } = await sluice(['lint'], { cwd })
    expect(stdout).toContain('"10R/s" is not a valid rate (in overlays/eu and overlays/us)')
    expect((await sluice(['lint', '--format', 'sarif'], { cwd })).stdout).toContain('(in overlays/eu and overlays/us)')
  })

  it('is judged only as built', async () => {
    const files = { ...shop(bare('SET_BY_OVERLAY'), PATCHED), 'overlays/eu/rate.yaml': patch('rate: 5r/s') }
    const cwd = createFolder({ ...files, 'overlays/us/rate.yaml': patch('rate: 5R/s') })
    expect((await lint(cwd)).found).toEqual(['overlays/us/rate.yaml:11 gateway/rate-syntax'])
  })

  const incomplete = () => {
    const { folder, commit } = createRepository()
    const component = 'kind: Component\npatches:\n- path: rate.yaml\n'
    commit({
      ...shop(bare('SET_BY_OVERLAY'), 'components: [../../strict]\n'),
      'strict/kustomization.yaml': `apiVersion: kustomize.config.k8s.io/v1alpha1\n${component}`,
      'strict/rate.yaml': patch('rate: 5R/s'),
      'other/kustomization.yaml': 'resources: [policy.yaml]\n',
      'other/policy.yaml': bare('5R/s'),
    })
    return folder
  }
  const ofComponent = ['strict/rate.yaml:11 gateway/rate-syntax in overlays/eu and overlays/us']

  it.each([
    'base/policy.yaml',
    'base/kustomization.yaml',
    'base',
    'base/*.yaml',
    'strict/rate.yaml',
    'strict',
    'strict/kustomization.yaml',
  ])('is judged only as built where %s is all that is named', async (path) => {
    expect((await lint(incomplete(), path)).found).toEqual(ofComponent)
  })

  it('is judged as it is where what builds on it is left out, or is in no repository', async () => {
    const own = ['base/policy.yaml:14 gateway/rate-syntax']
    expect((await lint(incomplete(), 'base', '--exclude', 'overlays')).found).toEqual(own)
    const cwd = createFolder(shop(bare('SET_BY_OVERLAY'), ''))
    expect((await lint(cwd, 'base')).found).toEqual(own)
  })

  it('is compared by --base as built, also if it is named alone, and by --old as it is', async () => {
    const { folder, commit } = createRepository()
    commit(shop(bare(), ''))
    const changed = bare().replace('$binary_remote_addr', '$binary_remote_addr$server_name')
    commit({ 'base/policy.yaml': changed })
    const finding = `base/policy.yaml:13 ${KEY_CHANGE}`
    expect((await lint(folder, 'base', '--base', 'HEAD~1')).found).toEqual([
      `${finding} in overlays/eu and overlays/us`,
    ])
    const old = createFolder(shop(bare(), ''))
    expect((await lint(folder, 'base', '--old', join(old, 'base'))).found).toEqual([finding])
  })

  it('is judged by the overlay that is named where a component adds or changes it', async () => {
    const component = (text: string) => `apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n${text}`
    const cwd = createFolder({
      'adds/kustomization.yaml': component('resources: [policy.yaml]\n'),
      'adds/policy.yaml': bare('5R/s'),
      'changes/kustomization.yaml': component('patches:\n- path: rate.yaml\n'),
      'changes/rate.yaml': patch('rate: 7R/s').replace('coffee', 'tea'),
      'base/kustomization.yaml': 'resources: [policy.yaml]\n',
      'base/policy.yaml': policy({ namespace: '', name: 'tea' }),
      'overlays/eu/kustomization.yaml': 'components: [../../adds]\nresources: [../../base]\n',
      'overlays/us/kustomization.yaml': 'components: [../../adds, ../../changes]\nresources: [../../base]\n',
    })
    const added = 'adds/policy.yaml:14 gateway/rate-syntax'
    expect((await lint(cwd, 'overlays/eu')).found).toEqual([added])
    expect((await lint(cwd, 'overlays/us')).found).toEqual([added, 'changes/rate.yaml:11 gateway/rate-syntax'])
  })

  it('is judged by the overlay that is named, whatever its kustomization is called', async () => {
    const { 'overlays/eu/kustomization.yaml': eu, ...files } = shop(bare('10R/s'), '')
    const cwd = createFolder({ ...files, 'overlays/eu/Kustomization': eu })
    expect((await lint(cwd, 'overlays/eu')).found).toEqual(['base/policy.yaml:14 gateway/rate-syntax'])
  })

  it('names the one overlay that builds it wrong', async () => {
    const burst =
      'patches:\n- target: {kind: RateLimitPolicy}\n  patch: |\n    - op: remove\n      path: /spec/rateLimit/local/rules/0/key\n'
    const cwd = createFolder(shop(bare(), burst, ''))
    expect((await lint(cwd)).found).toEqual(['base/policy.yaml:13 gateway/schema in overlays/eu'])
  })

  it('shows --base a key that changes in it, except where an overlay moves the route to another Gateway', async () => {
    const { folder, commit } = createRepository()
    const route =
      'apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: coffee}\nspec: {parentRefs: []}\n'
    const attached = (to: string) =>
      `patches:\n- target: {kind: HTTPRoute}\n  patch: '[{op: add, path: /spec/parentRefs/-, value: {name: ${to}}}]'\n`
    const files = (key: string, eu: string) => ({
      ...shop(`${bare().replace('$binary_remote_addr', key)}---\n${route}`, attached(eu), attached('edge')),
    })
    commit(files('$binary_remote_addr', 'edge'))
    commit(files('$binary_remote_addr$server_name', 'edge-2'))
    const expected = `base/policy.yaml:13 ${KEY_CHANGE}`
    expect((await lint(folder, '--base', 'HEAD~1')).found).toEqual([`${expected} in overlays/us`])
    commit(files('$binary_remote_addr', 'edge-2'))
    expect((await lint(folder, '--base', 'HEAD~1')).found).toEqual([`${expected} in overlays/eu and overlays/us`])
  })

  it('shows --base a key that changes in it', async () => {
    const { folder, commit } = createRepository()
    commit(shop(bare(), '', 'namePrefix: us-\n'))
    commit({ 'base/policy.yaml': bare().replace('$binary_remote_addr', '$binary_remote_addr$server_name') })
    expect(await findingsIn(folder, '--base', 'HEAD')).toEqual([])
    const expected = [`base/policy.yaml:13 ${KEY_CHANGE} in overlays/eu and overlays/us`]
    expect((await lint(folder, '--base', 'HEAD~1')).found).toEqual(expected)
    expect((await lint(folder, '--base', 'HEAD~1', '--within', '.', 'base/policy.yaml')).found).toEqual(expected)
  })

  it('shows --base a key that changes in a patch, or by a new one', async () => {
    const { folder, commit } = createRepository()
    commit(shop(bare(), ''))
    commit({
      'overlays/us/kustomization.yaml': `namespace: us\nresources: [../../base]\n${PATCHED}`,
      'overlays/us/rate.yaml': patch('rate: 5r/s').replace('$binary_remote_addr', '$server_name$binary_remote_addr'),
    })
    expect((await lint(folder, '--base', 'HEAD~1')).found).toEqual([`overlays/us/rate.yaml:9 ${KEY_CHANGE}`])
  })

  it('is matched again where a folder was renamed', async () => {
    const { folder, commit } = createRepository()
    const { 'overlays/us/kustomization.yaml': us, ...eu } = shop(bare(), '')
    commit({ ...eu })
    commit({
      'overlays/eu/kustomization.yaml': undefined,
      'clusters/eu/kustomization.yaml': eu['overlays/eu/kustomization.yaml'],
      'base/policy.yaml': bare().replace('$binary_remote_addr', '$binary_remote_addr$server_name'),
    })
    expect(us).toContain('us')
    expect((await lint(folder, '--base', 'HEAD~1')).found).toEqual([`base/policy.yaml:13 ${KEY_CHANGE}`])
  })
})

describe('--fix', () => {
  it('fixes the base, the patch and the inline patch that wrote the value', async () => {
    const inline = (rate: string) => `patches:
- path: rate.yaml
- target: {kind: RateLimitPolicy}
  patch: |-
    # Comments and lines stay.
    - op: add
      path: /spec/rateLimit/local/rules/-
      value:
        key: $binary_remote_addr$server_name
        rate: ${rate}
        zoneSize: 1m
`
    const files = {
      ...shop(
        bare('10r/s').replace('burst: 20', 'burst: 20').replace('zoneSize: 10m', 'zoneSize: 10M'),
        inline('1R/s'),
        '',
      ),
      'overlays/eu/rate.yaml': patch('rate: 7R/s'),
    }
    const cwd = createFolder(files)
    const { stderr } = await sluice(['lint', '--fix', '--format', 'json'], { cwd })
    expect(stderr).toMatch(/^fixed \d findings in \d files\n/)
    const now = (file: string) => readFileSync(join(cwd, file), 'utf8')
    expect(now('overlays/eu/rate.yaml')).toBe(patch('rate: 7r/s'))
    expect(now('overlays/eu/kustomization.yaml')).toBe(files['overlays/eu/kustomization.yaml'].replace('1R/s', '1r/s'))
    expect(now('overlays/us/kustomization.yaml')).toBe(files['overlays/us/kustomization.yaml'])
    expect((await lint(cwd)).found.filter((found) => found.includes('rate-syntax'))).toEqual([])
  })
})

describe('--fix in an inline patch', () => {
  const OPERATION = '[{"op": "add", "path": "/spec/rateLimit/local/rules/0/zoneSize", "value": "10M"}]'
  it.each([
    ['in single quotes', `'${OPERATION}'`],
    ['in double quotes', JSON.stringify(OPERATION)],
    ['in a block of lines that end in CRLF', `|-\r\n    ${OPERATION.replace(', ', ',\r\n     ')}`],
  ])('fixes the value %s', async (_, scalar) => {
    const kustomization = `resources: [policy.yaml]\npatches:\n- target: {kind: RateLimitPolicy}\n  patch: ${scalar}\n`
    const cwd = createFolder({ 'kustomization.yaml': kustomization, 'policy.yaml': bare() })
    const { stdout } = await sluice(['lint', '--format', 'json'], { cwd })
    const [{ line, column }] = JSON.parse(stdout).findings
    expect(kustomization.split('\n')[line - 1]?.slice(column - 1)).toMatch(/^\\?"10M/)
    expect((await sluice(['lint', '--fix'], { cwd })).code).toBe(0)
    expect(readFileSync(join(cwd, 'kustomization.yaml'), 'utf8')).toBe(kustomization.replace('10M', '10m'))
  })
})

describe('a value that replacements copy', () => {
  const copied = (source: string) => `resources: [policy.yaml, zone.yaml]
configMapGenerator:
- name: made
  literals:
  - zone=10M
replacements:
- source: { kind: ConfigMap, ${source} }
  targets: [{ select: { kind: RateLimitPolicy }, fieldPaths: [spec.rateLimit.local.rules.0.zoneSize] }]
`
  const zone = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: zone }\ndata:\n  whole: 10M\n  parts: a/10M/c\n'
  it.each([
    ['whole', 'name: zone, fieldPath: data.whole', 'zone.yaml:5', zone.replace('10M', '10m')],
    ['in part', 'name: zone, fieldPath: data.parts, options: { delimiter: /, index: 1 }', 'zone.yaml:6', zone],
    ['of a literal', 'name: made, fieldPath: data.zone', 'kustomization.yaml:5', zone],
  ])('%s is found where it is written, and fixed only there as a whole', async (_, source, place, fixed) => {
    const kustomization = copied(source)
    const cwd = createFolder({ 'kustomization.yaml': kustomization, 'policy.yaml': bare(), 'zone.yaml': zone })
    expect((await lint(cwd)).found).toEqual([`${place} gateway/zone-size-syntax`])
    await sluice(['lint', '--fix'], { cwd })
    expect(readFileSync(join(cwd, 'zone.yaml'), 'utf8')).toBe(fixed)
    expect(readFileSync(join(cwd, 'kustomization.yaml'), 'utf8')).toBe(kustomization)
  })
})

describe('comments that suppress', () => {
  it('hold where the value is written', async () => {
    const cwd = createFolder({
      ...shop(bare().replace('10r/s', '10R/s # sluice-disable-line gateway/rate-syntax -- later'), PATCHED, ''),
      'overlays/eu/rate.yaml': patch('# sluice-disable-next-line gateway/rate-syntax -- later\n        rate: 5R/s'),
    })
    expect((await lint(cwd)).found).toEqual([])
  })

  it('without a use are reported', async () => {
    const cwd = createFolder(
      shop(bare().replace('10r/s', '10r/s # sluice-disable-line gateway/rate-syntax -- old'), ''),
    )
    expect((await lint(cwd)).found).toEqual(['base/policy.yaml:14 document/suppression'])
  })
})

describe('two files that define one object', () => {
  const [one, two] = [bare(), bare('20r/s')]

  it('are an error of the kustomization that builds both, and nothing else is', async () => {
    const cwd = createFolder({ 'kustomization.yaml': 'resources: [a.yaml, b.yaml]\n', 'a.yaml': one, 'b.yaml': two })
    const { found, stderr } = await lint(cwd)
    expect(found).toEqual(['b.yaml:4 gateway/duplicate-object'])
    expect(stderr).toContain('note: kustomization.yaml: RateLimitPolicy coffee is defined twice')
    const { stdout } = await sluice(['lint'], { cwd })
    expect(stdout).toContain('is already defined in a.yaml: kustomize refuses to build both')
  })

  it('of the base and of an overlay are one as well', async () => {
    const files = shop(one, '', '')
    const overlay = 'overlays/eu/kustomization.yaml'
    const cwd = createFolder({
      ...files,
      [overlay]: files[overlay].replace('[../../base]', '[../../base, own.yaml]'),
      'overlays/eu/own.yaml': two,
    })
    expect((await lint(cwd)).found).toEqual(['overlays/eu/own.yaml:4 gateway/duplicate-object'])
  })

  it('may be of two clusters where only one of them is built, unless the settings say that they are one', async () => {
    const files = { 'kustomization.yaml': 'namespace: shop\nresources: [a.yaml]\n', 'a.yaml': one, 'b.yaml': policy() }
    expect((await lint(createFolder(files))).found).toEqual([])
    expect((await lint(createFolder(files), '--closed-world')).found).not.toContainEqual(
      expect.stringContaining('duplicate-object'),
    )
    const worlds = 'worlds: [{ name: shop, paths: [.] }]\n'
    const cwd = createFolder({ ...files, 'sluice.config.yaml': worlds })
    expect((await lint(cwd)).found).toEqual([expect.stringMatching(/^[ab]\.yaml:\d gateway\/duplicate-object$/)])
    const { stdout } = await sluice(['lint'], { cwd })
    expect(stdout).toMatch(/is already defined in [ab]\.yaml: the definition that is applied last overwrites/)
  })
})

describe('what cannot be built', () => {
  it.each([
    ['transformers: [plugin.yaml]\n', '"transformers" is not followed', []],
    ['components: [https://example.com/a//b]\n', 'the component "https://example.com/a//b" is not followed', []],
    ['patches: [{ path: gone.yaml }]\n', '"gone.yaml" does not exist', []],
    ['patches: [{ patch: "{kind: RateLimitPolicy, metadata: {name: none}}" }]\n', 'no object matches', []],
    ['helmCharts: [{ name: a }]\n', '"helmCharts" is not followed', ['policy.yaml:14 gateway/rate-syntax']],
  ])('is noted, and nothing is judged that is not known: %s', async (member, reason, found) => {
    const cwd = createFolder({
      'kustomization.yaml': `resources: [policy.yaml]\n${member}`,
      'policy.yaml': bare('10R/s'),
    })
    const run = await lint(cwd)
    expect(run.found).toEqual(found)
    expect(run.stderr).toContain(`note: kustomization.yaml: ${reason}`)
  })

  it('is said of each kustomization', async () => {
    const unknown = ['a', 'b', 'c', 'd', 'e'].map((name) => [
      `${name}/kustomization.yaml`,
      `resources: [p.yaml]\n${name}: x\n`,
    ])
    const policies = unknown.map(([file = '']) => [file.replace('kustomization', 'p'), bare()])
    const { stderr } = await sluice(['lint'], { cwd: createFolder(Object.fromEntries([...unknown, ...policies])) })
    for (const [file] of unknown) expect(stderr).toContain(`note: ${file}: unknown field`)
  })

  it('leaves the world open', async () => {
    const files = { 'kustomization.yaml': 'resources: [policy.yaml]\n', 'policy.yaml': bare() }
    expect((await lint(createFolder(files), '--closed-world', '-n', 'shop')).found).toEqual([
      'policy.yaml:9 gateway/target-not-found',
    ])
    const remote = { ...files, 'kustomization.yaml': 'resources: [policy.yaml, "https://example.com/a.yaml"]\n' }
    expect((await lint(createFolder(remote), '--closed-world', '-n', 'shop')).found).toEqual([])
  })

  it('still has its syntax checked', async () => {
    const cwd = createFolder({
      'kustomization.yaml': 'resources: [policy.yaml, other.yaml]\n',
      'policy.yaml': `${bare()}  broken: [\n`,
      'other.yaml': policy({ name: 'tea', rate: '1R/s' }),
    })
    expect((await lint(cwd)).found).toEqual(['other.yaml:15 gateway/rate-syntax', 'policy.yaml:18 document/syntax'])
  })
})

it('effective and status look at what is built', async () => {
  const cwd = createFolder({
    ...shop(bare(), 'namePrefix: eu-\n', PATCHED),
    'overlays/us/rate.yaml': patch('rate: 77r/s'),
  })
  const { stdout } = await sluice(['effective', 'HTTPRoute/us/coffee', '--world', 'overlays/us'], { cwd })
  expect(stdout).toContain('77r/s')
  const status = await sluice(['status'], { cwd })
  expect(status.stdout).toContain('world overlays/eu')
  expect(status.stdout).toContain('eu-coffee')
})

it('words that YAML 1.1 reads as booleans are strings for kustomize', async () => {
  const cwd = createFolder({
    'kustomization.yaml': 'resources: [policy.yaml]\n',
    'policy.yaml': bare().replace('noDelay: true', 'noDelay: yes'),
    'plain.yaml': policy({ name: 'tea' }).replace('noDelay: true', 'noDelay: yes'),
  })
  expect((await lint(cwd)).found).toEqual(['policy.yaml:16 gateway/schema'])
})

const route = `apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata:
  name: coffee
spec:
  parentRefs:
  - name: shop
`
const REFERENCES = `nameReference:
- kind: HTTPRoute
  fieldSpecs:
  - path: spec/targetRefs/name
    kind: RateLimitPolicy
`

describe('a name that a kustomization changes', () => {
  const files = {
    'base/kustomization.yaml': 'resources: [policy.yaml, route.yaml]\n',
    'base/policy.yaml': bare(),
    'base/route.yaml': route,
  }

  it.each([
    ['namePrefix: eu-\n', 'the name prefix was not applied', 'eu-coffee'],
    ['nameSuffix: -v2\n', 'the name suffix was not applied', 'coffee-v2'],
    [
      'namePrefix: eu-\nnameSuffix: -v2\nnamespace: shop\n',
      'the name prefix or suffix was not applied',
      'eu-coffee-v2',
    ],
  ])('is missed in the targets of a policy: %s', async (names, words, name) => {
    const cwd = createFolder({ ...files, 'eu/kustomization.yaml': `resources: [../base]\n${names}` })
    expect((await lint(cwd)).found).toEqual(['base/policy.yaml:9 gateway/target-not-found'])
    const { stdout } = await sluice(['lint'], { cwd })
    expect(stdout).toContain(words)
    expect(stdout).toContain(`"${name}"`)
  })

  it('is right with its own remedy', async () => {
    const eu = 'resources: [../base]\nnamePrefix: eu-\nconfigurations: [names.yaml]\n'
    const cwd = createFolder({ ...files, 'eu/kustomization.yaml': eu, 'eu/names.yaml': REFERENCES })
    expect((await lint(cwd)).found).toEqual([])
    expect((await sluice(['status'], { cwd })).stdout).toContain('HTTPRoute eu-coffee')
  })
})

it('an object in the world of another kustomization is not absent', async () => {
  const cwd = createFolder({
    'apps/kustomization.yaml': 'namespace: shop\nresources: [policy.yaml]\n',
    'apps/policy.yaml': bare(),
    'routes/kustomization.yaml': 'namespace: shop\nresources: [route.yaml]\n',
    'routes/route.yaml': route,
  })
  expect((await lint(cwd, '--closed-world')).found).toEqual([])
})
