/** Kustomizations of which much is made. Which objects are judged, and in which worlds: `test/fixtures/discovery/`. */
import { describe, expect, it } from 'vitest'
import { casesOf } from '../support/cases.ts'
import { collect, judgedIn } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const { each } = casesOf(import.meta.url)

/** The files of the objects that are judged. */
const judged = async (folder: string): Promise<readonly string[]> =>
  judgedIn(await collect(folder))
    .objects.map((text) => text.replace(/^.*: | \S*$/g, ''))
    .sort()

describe('fragments', () => {
  each<[string, string]>('%s are not judged', async (_, kustomization) => {
    const files = { 'a.yaml': policy(), 'b.yaml': policy() }
    expect(await judged(createFolder({ ...files, 'kustomization.yaml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, 'kustomization.yml': kustomization }))).not.toContain('a.yaml')
    expect(await judged(createFolder({ ...files, Kustomization: kustomization }))).toEqual(['b.yaml'])
  })

  each<[string]>('survive a kustomization with %s', async (kustomization) => {
    const folder = createFolder({ 'kustomization.yaml': kustomization, 'b.yaml': policy() })
    expect(await judged(folder)).toEqual(['b.yaml'])
  })
})

it('a kustomization is built fast where many share many others', async () => {
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
  expect(await judged(createFolder(files))).toHaveLength(21)
})
