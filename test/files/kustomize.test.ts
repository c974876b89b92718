import { describe, expect, it } from 'vitest'
import { collect, judged } from './collect.ts'
import { createFolder, policy } from './folder.ts'

/** The context of each file: its namespace hint, and whether names change. */
async function placements(...parameters: Parameters<typeof collect>) {
  const { sources } = await collect(...parameters)
  return Object.fromEntries(
    sources.map(({ file, namespace, renamed }) => [file, renamed ? 'unknown' : (namespace?.override ?? 'as written')]),
  )
}

describe('fragments', () => {
  it.each([
    ['patches', 'patches:\n- path: a.yaml\n- patch: "kind: RateLimitPolicy"\n  target: { kind: RateLimitPolicy }'],
    ['patches of old', 'patches: [a.yaml]'],
    ['patchesStrategicMerge', 'patchesStrategicMerge:\n- ./a.yaml\n- |\n  kind: RateLimitPolicy\n  metadata: {}'],
    ['patchesJson6902', 'patchesJson6902:\n- target: { kind: HTTPRoute, name: x }\n  path: a.yaml'],
    ['replacements', 'replacements:\n- path: a.yaml\n- source: {}'],
    ['configurations', 'configurations: [a.yaml]'],
    ['crds', 'crds: [a.yaml]'],
    ['openapi', 'openapi: { path: a.yaml }'],
    ['transformers', 'transformers: [a.yaml]'],
    ['generators', 'generators: [a.yaml]'],
    ['values of charts', 'helmCharts:\n- name: x\n  valuesFile: a.yaml'],
    ['more values of charts', 'helmCharts:\n- additionalValuesFiles: [a.yaml]'],
    ['data of ConfigMaps', 'configMapGenerator:\n- name: x\n  files: [key.yaml=a.yaml]'],
    ['data of Secrets', 'secretGenerator:\n- files: [a.yaml]'],
  ])('%s are not judged', async (_, kustomization) => {
    const files = { 'a.yaml': policy(), 'b.yaml': policy() }
    expect(await judged(createFolder({ ...files, 'kustomization.yaml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, 'kustomization.yml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, Kustomization: kustomization }))).toEqual(['b.yaml'])
  })

  it('are not judged when they are named alone, as pre-commit does', async () => {
    const folder = createFolder({
      '.git/': '',
      'overlays/prod/kustomization.yaml': 'resources: [../../base]\npatches:\n- path: patches/limit.yaml\n',
      'overlays/prod/patches/limit.yaml': policy(),
      'base/kustomization.yaml': 'resources: [policy.yaml]\n',
      'base/policy.yaml': policy(),
    })
    expect(await judged(folder, ['overlays/prod/patches/limit.yaml'])).toEqual([])
    expect(await judged(folder, ['overlays/prod/patches'])).toEqual([])
    expect(await judged(folder, ['base/policy.yaml'])).toEqual(['base/policy.yaml'])
  })

  it('are judged where another kustomization deploys them as they are', async () => {
    const folder = createFolder({
      'a/kustomization.yaml': 'patches:\n- path: ../shared/a.yaml\n',
      'b/kustomization.yaml': 'resources: [../shared/a.yaml]\n',
      'shared/a.yaml': policy(),
    })
    expect(await judged(folder)).toEqual(['shared/a.yaml'])
  })

  it('are unknown where the kustomization cannot be read', async () => {
    const folder = createFolder({
      'k/kustomization.yaml': 'patches: [\n',
      'k/a.yaml': policy(),
      'l/kustomization.yaml': '',
    })
    const { sources, brokenKustomizations, problems } = await collect(folder)
    expect(sources).toHaveLength(1)
    expect(brokenKustomizations).toEqual(['k/kustomization.yaml'])
    expect(problems).toEqual([])
  })

  it.each([
    '[]',
    'a',
    '5',
    'resources: 5',
    'resources: [5, null, {}, [a]]',
    'patches: { path: [a.yaml] }',
    'namespace: []',
  ])('survive a kustomization with %s', async (kustomization) => {
    const folder = createFolder({ 'kustomization.yaml': kustomization, 'b.yaml': policy() })
    expect(await judged(folder)).toEqual(['b.yaml'])
  })
})

describe('namespaces', () => {
  it('come from the kustomization that deploys a file', async () => {
    const folder = createFolder({
      'kustomization.yaml': 'namespace: prod\nresources: [a.yaml, more]\n',
      'a.yaml': policy(),
      'more/kustomization.yaml': 'resources: [b.yaml]\n',
      'more/b.yaml': policy(),
      'more/c.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'a.yaml': 'prod', 'more/b.yaml': 'prod', 'more/c.yaml': 'as written' })
  })

  it('are those of the outermost kustomization', async () => {
    const folder = createFolder({
      'prod/kustomization.yaml': 'namespace: prod\nresources: [../base]\ncomponents: [../extra]\n',
      'base/kustomization.yaml': 'namespace: base\nresources: [a.yaml]\n',
      'extra/kustomization.yaml': 'kind: Component\nresources: [b.yaml]\n',
      'base/a.yaml': policy(),
      'extra/b.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'base/a.yaml': 'prod', 'extra/b.yaml': 'prod' })
  })

  it('are unknown where several roots set different ones', async () => {
    const folder = createFolder({
      'prod/kustomization.yaml': 'namespace: prod\nresources: [../base]\n',
      'test/kustomization.yaml': 'namespace: test\nresources: [../base]\n',
      'base/kustomization.yaml': 'resources: [a.yaml]\n',
      'base/a.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'base/a.yaml': 'unknown' })
    expect(await placements(folder, ['prod', 'base'])).toEqual({ 'base/a.yaml': 'prod' })
  })

  it('are known where several roots set the same', async () => {
    const folder = createFolder({
      'eu/kustomization.yaml': 'namespace: shop\nbases: [../base]\n',
      'us/kustomization.yaml': 'namespace: shop\nresources: [../base/]\n',
      'base/kustomization.yaml': 'resources: [./a.yaml]\n',
      'base/a.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'base/a.yaml': 'shop' })
  })

  it('are unknown where they are filled in later', async () => {
    const folder = createFolder({
      'kustomization.yaml': `namespace: ${'$'}{NS}\nresources: [a.yaml]\n`,
      'a.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'a.yaml': 'unknown' })
  })

  it.each(['namePrefix: eu-', 'nameSuffix: -2'])('and names are unknown below %s', async (affix) => {
    const folder = createFolder({
      'eu/kustomization.yaml': `${affix}\nresources: [../base]\n`,
      'base/kustomization.yaml': 'resources: [a.yaml]\n',
      'base/a.yaml': policy(),
      'b.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'base/a.yaml': 'unknown', 'b.yaml': 'as written' })
  })

  it('come from a kustomization above what is named', async () => {
    const folder = createFolder({
      '.git/': '',
      'kustomization.yaml': 'namespace: prod\nresources: [k8s/a.yaml, elsewhere]\n',
      'k8s/a.yaml': policy(),
      'elsewhere/kustomization.yaml': 'resources: [b.yaml]\n',
      'elsewhere/b.yaml': policy(),
    })
    expect(await placements(folder, ['k8s'])).toEqual({ 'k8s/a.yaml': 'prod' })
    expect(await placements(folder, ['elsewhere/b.yaml'])).toEqual({ 'elsewhere/b.yaml': 'prod' })
  })

  it('end with the repository', async () => {
    const folder = createFolder({
      'kustomization.yaml': 'namespace: outside\nresources: [inner/a.yaml]\n',
      'inner/.git/': '',
      'inner/a.yaml': policy(),
    })
    expect(await placements(folder, ['inner'])).toEqual({ 'inner/a.yaml': 'as written' })
  })

  it('do not go round in circles', async () => {
    const folder = createFolder({
      'a/kustomization.yaml': 'namespace: a\nresources: [../b, a.yaml, .]\n',
      'b/kustomization.yaml': 'namespace: b\nresources: [../a]\n',
      'c/kustomization.yaml': 'namespace: c\nresources: [../a]\n',
      'a/a.yaml': policy(),
    })
    expect(await placements(folder)).toEqual({ 'a/a.yaml': 'c' })
  })

  it('are found fast where many kustomizations share many others', async () => {
    const layers = Array.from({ length: 20 }, (_, layer) =>
      [0, 1].map((side) => [
        `l${layer}-${side}/kustomization.yaml`,
        `resources: [../l${layer + 1}-0, ../l${layer + 1}-1]\n`,
      ]),
    )
    const files = {
      ...Object.fromEntries(layers.flat()),
      'l20-0/kustomization.yaml': 'resources: [a.yaml]\n',
      'l20-0/a.yaml': policy(),
    }
    expect(await placements(createFolder(files))).toEqual({ 'l20-0/a.yaml': 'as written' })
  })
})
