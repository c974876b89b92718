/** What a kustomization builds, what cannot be built, and how objects and names in it find each other. */
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { bare, lint, PATCHED, patch, shop } from './kustomizations.ts'
import { sluice } from './run.ts'

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
