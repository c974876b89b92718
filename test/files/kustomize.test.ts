import { describe, expect, it } from 'vitest'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { knownNamespace } from '../../src/kubernetes/metadata.ts'
import { fileOf } from '../../src/project/source.ts'
import { collectWorlds } from '../../src/project/worlds.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { kindTable } from '../../src/world/kinds.ts'
import { casesOf } from '../support/cases.ts'
import { collect } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const { each } = casesOf(import.meta.url)

/** The objects that are judged: `WORLD: FILE NAMESPACE/NAME`. */
async function objects(...parameters: Parameters<typeof collect>): Promise<readonly string[]> {
  const { sources } = await collect(...parameters)
  const { worlds } = collectWorlds(sources, kindTable(SYSTEMS, apiNames()))
  return [...worlds].flatMap(([world, { judged }]) =>
    judged
      .filter(({ origin }) => !origin.source.unjudged)
      .map(({ origin, view: { identity } }) => {
        const name = `${fileOf(origin.source)} ${knownNamespace(identity.namespace) ?? ''}/${identity.name ?? ''}`
        return world === '' ? name : `${world}: ${name}`
      }),
  )
}

/** The files of the objects that are judged. */
const judged = async (...parameters: Parameters<typeof collect>): Promise<readonly string[]> =>
  (await objects(...parameters)).map((text) => text.replace(/^.*: | \S*$/g, '')).sort()

describe('fragments', () => {
  each<[string, string]>('%s are not judged', async (_, kustomization) => {
    const files = { 'a.yaml': policy(), 'b.yaml': policy() }
    expect(await judged(createFolder({ ...files, 'kustomization.yaml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, 'kustomization.yml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, Kustomization: kustomization }))).toEqual(['b.yaml'])
  })

  it.each(['overlays/prod/patches/limit.yaml', 'overlays/prod/patches', 'base/policy.yaml'])(
    'and resources judge what they change when they are named alone, as pre-commit does: %s',
    async (path) => {
      const folder = createFolder({
        '.git/': '',
        'overlays/prod/kustomization.yaml': 'resources: [../../base]\npatches:\n- path: patches/limit.yaml\n',
        'overlays/prod/patches/limit.yaml': policy({ rate: '20r/s' }),
        'base/kustomization.yaml': 'resources: [policy.yaml, other.yaml]\n',
        'base/policy.yaml': policy(),
        'base/other.yaml': policy({ name: 'tea' }),
      })
      expect(await objects(folder, [path], { within: ['.'] })).toEqual(['overlays/prod: base/policy.yaml shop/coffee'])
    },
  )

  it('are judged as whole objects where another kustomization deploys them', async () => {
    const folder = createFolder({
      'a/kustomization.yaml': 'resources: [b.yaml]\npatches:\n- path: ../shared/a.yaml\n',
      'a/b.yaml': policy(),
      'b/kustomization.yaml': 'resources: [../shared/a.yaml]\n',
      'shared/a.yaml': policy(),
    })
    expect(await objects(folder)).toEqual(['a: a/b.yaml shop/coffee', 'b: shared/a.yaml shop/coffee'])
  })

  it('are unknown where the kustomization cannot be read', async () => {
    const folder = createFolder({
      'k/kustomization.yaml': 'patches: [\n',
      'k/a.yaml': policy(),
      'l/kustomization.yaml': '',
    })
    const { sources, brokenKustomizations, problems } = await collect(folder)
    expect(sources.map(fileOf).sort()).toEqual(['k/a.yaml', 'k/kustomization.yaml'])
    expect(brokenKustomizations).toEqual([{ file: 'k/kustomization.yaml', reason: 'a bracket is never closed' }])
    expect(problems).toEqual([])
  })

  each<[string]>('survive a kustomization with %s', async (kustomization) => {
    const folder = createFolder({ 'kustomization.yaml': kustomization, 'b.yaml': policy() })
    expect(await judged(folder)).toEqual(['b.yaml'])
  })
})

describe('a kustomization', () => {
  const bare = policy({ namespace: '' })

  it('gives its namespace to what it deploys, and to nothing else', async () => {
    const folder = createFolder({
      'kustomization.yaml': 'namespace: prod\nresources: [a.yaml, more]\n',
      'a.yaml': bare,
      'more/kustomization.yaml': 'resources: [b.yaml]\n',
      'more/b.yaml': policy({ name: 'tea' }),
      'more/c.yaml': bare,
    })
    expect(await objects(folder)).toEqual(['more/c.yaml /coffee', '.: a.yaml prod/coffee', '.: more/b.yaml prod/tea'])
  })

  it('is a world of its own, in which its base is judged as built', async () => {
    const folder = createFolder({
      'prod/kustomization.yaml': 'namespace: prod\nnamePrefix: eu-\nresources: [../base]\ncomponents: [../extra]\n',
      'test/kustomization.yaml': 'namespace: test\nresources: [../base]\n',
      'base/kustomization.yaml': 'namespace: base\nresources: [a.yaml]\n',
      'extra/kustomization.yaml': 'kind: Component\nresources: [b.yaml]\n',
      'base/a.yaml': bare,
      'extra/b.yaml': policy({ name: 'tea' }),
    })
    const [prod, tea] = ['prod: base/a.yaml prod/eu-coffee', 'prod: extra/b.yaml prod/eu-tea']
    expect(await objects(folder)).toEqual([prod, tea, 'test: base/a.yaml test/coffee'])
    expect(await objects(folder, ['prod'])).toEqual([prod, tea])
    expect(await objects(folder, ['base'])).toEqual(['base: base/a.yaml base/coffee'])
  })

  it('is in the world that the settings give to its file', async () => {
    const folder = createFolder({
      'prod/kustomization.yaml': 'resources: [../base/a.yaml]\n',
      'base/a.yaml': policy(),
      'gateways/a.yaml': policy({ name: 'tea' }),
    })
    const worlds = [{ name: 'live', paths: ['prod/**', 'gateways/**'] }]
    expect(await objects(folder, [], { worlds })).toEqual([
      'live: gateways/a.yaml shop/tea',
      'live: base/a.yaml shop/coffee',
    ])
  })

  it('is found above what is named, up to the repository', async () => {
    const folder = createFolder({
      'kustomization.yaml': 'namespace: outside\nresources: [inner/k8s/a.yaml]\n',
      'inner/.git/': '',
      'inner/kustomization.yaml': 'namespace: prod\nresources: [k8s/a.yaml]\n',
      'inner/k8s/a.yaml': bare,
    })
    expect(await objects(folder, ['inner/k8s'])).toEqual(['inner: inner/k8s/a.yaml prod/coffee'])
  })

  it('that builds on itself builds the rest, and says so', async () => {
    const folder = createFolder({
      'a/kustomization.yaml': 'namespace: a\nresources: [../b, a.yaml]\n',
      'b/kustomization.yaml': 'namespace: b\nresources: [../a]\n',
      'c/kustomization.yaml': 'namespace: c\nresources: [../a]\n',
      'a/a.yaml': policy(),
    })
    const { sources } = await collect(folder)
    expect(collectWorlds(sources, kindTable(SYSTEMS, apiNames())).notBuilt).toMatchObject([
      { file: 'b/kustomization.yaml', reason: 'the folder a is being built already', refusal: { cause: 'cycle' } },
    ])
    expect(await objects(folder)).toEqual(['c: a/a.yaml shop/coffee'])
  })

  it('leaves what only its settings ignore out of the report', async () => {
    const folder = createFolder({ 'kustomization.yaml': 'resources: [vendor/a.yaml]\n', 'vendor/a.yaml': policy() })
    const { sources } = await collect(folder, [], { ignores: ['vendor/**'] })
    expect(sources.filter((source) => 'isIgnored' in source && source.isIgnored).map(fileOf)).toEqual(['vendor/a.yaml'])
  })

  it('is built fast where many share many others', async () => {
    const layers = Array.from({ length: 20 }, (_, layer) => [
      [`l${layer}/kustomization.yaml`, `resources: [../l${layer + 1}, ../only${layer}]\n`],
      [`only${layer}/kustomization.yaml`, `resources: [a.yaml]\n`],
      [`only${layer}/a.yaml`, policy({ name: `p${layer}` })],
    ])
    const files = {
      ...Object.fromEntries(layers.flat()),
      'l20/kustomization.yaml': 'resources: [a.yaml]\n',
      'l20/a.yaml': bare,
    }
    expect(await objects(createFolder(files))).toHaveLength(21)
  })
})
