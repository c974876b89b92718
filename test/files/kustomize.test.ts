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

/** Policies by their names in the tables. */
const TEXTS = new Map([
  ['COFFEE', policy()],
  ['TEA', policy({ name: 'tea' })],
  ['OWN', policy({ name: 'own' })],
  ['BARE', policy({ namespace: '' })],
  ['FASTER', policy({ rate: '20r/s' })],
])
type Files = Readonly<Record<string, string>>
const folderOf = (files: Files) =>
  createFolder(Object.fromEntries(Object.entries(files).map(([path, text]) => [path, TEXTS.get(text) ?? text])))

type Asked = Readonly<{ paths?: readonly string[] }> & Parameters<typeof collect>[2]

describe('the objects that are judged', () => {
  each<[string, Files, ...(readonly [Asked, readonly string[]])[]]>(
    '%s',
    async (_, files, ...questions) => {
      const folder = folderOf(files)
      for (const [{ paths, ...options }, expected] of questions)
        expect(await objects(folder, paths, options)).toEqual(expected)
    },
    'the objects that are judged',
  )
})

describe('fragments', () => {
  each<[string, string]>('%s are not judged', async (_, kustomization) => {
    const files = { 'a.yaml': policy(), 'b.yaml': policy() }
    expect(await judged(createFolder({ ...files, 'kustomization.yaml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, 'kustomization.yml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, Kustomization: kustomization }))).toEqual(['b.yaml'])
  })

  it('are unknown where the kustomization cannot be read', async () => {
    const folder = createFolder({
      'k/kustomization.yaml': 'patches: [\n',
      'k/a.yaml': policy(),
      'l/kustomization.yaml': '',
    })
    const { sources, brokenKustomizations, problems } = await collect(folder)
    expect(sources).toHaveLength(1)
    expect(brokenKustomizations).toEqual([{ file: 'k/kustomization.yaml', reason: 'a bracket is never closed' }])
    expect(problems).toEqual([])
  })

  each<[string]>('survive a kustomization with %s', async (kustomization) => {
    const folder = createFolder({ 'kustomization.yaml': kustomization, 'b.yaml': policy() })
    expect(await judged(folder)).toEqual(['b.yaml'])
  })
})

describe('a kustomization', () => {
  it('that builds on itself builds nothing, and says so', async () => {
    const folder = createFolder({
      'a/kustomization.yaml': 'namespace: a\nresources: [../b, a.yaml]\n',
      'b/kustomization.yaml': 'namespace: b\nresources: [../a]\n',
      'c/kustomization.yaml': 'namespace: c\nresources: [../a]\n',
      'a/a.yaml': policy(),
    })
    const { sources } = await collect(folder)
    expect(collectWorlds(sources, kindTable(SYSTEMS, apiNames())).notBuilt).toEqual([
      { file: 'a/kustomization.yaml', reason: 'it builds on itself' },
    ])
    expect(await objects(folder)).toEqual([])
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
      'l20/a.yaml': policy({ namespace: '' }),
    }
    expect(await objects(createFolder(files))).toHaveLength(21)
  })
})
