import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSettings } from '../../src/cli/core/project.ts'
import { collect, judged } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const files = {
  'clusters/eu/a.yaml': policy(),
  'clusters/us/a.yaml': policy(),
  'clusters/us/old/b.yaml': policy(),
  'apps/c.yaml': policy(),
}

it('puts files into every world whose paths match', async () => {
  const worlds = [
    { name: 'eu', paths: ['clusters/eu'] },
    { name: 'us', paths: ['./clusters/us/**/*.yaml', 'nothing'] },
    { name: 'rest', paths: ['clusters/**'] },
  ]
  const { sources } = await collect(createFolder(files), [], { worlds })
  expect(Object.fromEntries(sources.map(({ file, world }) => [file, world]))).toEqual({
    'clusters/eu/a.yaml': ['eu', 'rest'],
    'clusters/us/a.yaml': ['us', 'rest'],
    'clusters/us/old/b.yaml': ['us', 'rest'],
    'apps/c.yaml': undefined,
  })
})

it('reads globs as relative to the settings, wherever one works', async () => {
  const folder = createFolder(files)
  const worlds = [{ name: 'eu', paths: ['clusters/eu'] }]
  const { sources } = await collect(join(folder, 'clusters/eu'), ['.'], { worlds, folder })
  expect(sources).toMatchObject([{ file: 'a.yaml', world: ['eu'] }])
})

it('takes along what the kustomizations of a world deploy', async () => {
  const folder = createFolder({
    'overlays/eu/kustomization.yaml': 'resources: [../../base, own.yaml]\n',
    'overlays/eu/own.yaml': policy({ name: 'own' }),
    'overlays/us/kustomization.yml': 'resources: [../../base]\n',
    'base/kustomization.yaml': 'resources: [policy.yaml, deeper]\n',
    'base/policy.yaml': policy(),
    'base/deeper/kustomization.yaml': 'resources: [tea.yaml]\n',
    'base/deeper/tea.yaml': policy({ name: 'tea' }),
    'base/left-out.yaml': policy({ name: 'none' }),
  })
  const worlds = ['eu', 'us'].map((name) => ({ name, paths: [`overlays/${name}/**`] }))
  const { sources } = await collect(folder, [], { worlds })
  expect(Object.fromEntries(sources.map(({ file, world }) => [file, world]))).toEqual({
    'base/left-out.yaml': undefined,
    'base/policy.yaml': ['eu', 'us'],
    'base/deeper/tea.yaml': ['eu', 'us'],
    'overlays/eu/own.yaml': ['eu'],
  })
})

it('merges the overrides that match, the last over the others, the command line over all', async () => {
  const overrides = [
    { files: ['clusters'], rules: { 'gateway/rate-zero': 'off', 'gateway/schema': 'warning' } },
    { files: ['clusters/us'], rules: { 'gateway/rate-zero': 'info', 'gateway/no-limits': 'off' } },
  ] as const
  const { sources } = await collect(createFolder(files), [], { overrides, rules: { 'gateway/schema': 'error' } })
  const rules = Object.fromEntries(sources.map((source) => [source.file, source.rules]))
  expect(rules).toEqual({
    'clusters/eu/a.yaml': { 'gateway/rate-zero': 'off', 'gateway/schema': 'error' },
    'clusters/us/a.yaml': { 'gateway/rate-zero': 'info', 'gateway/schema': 'error', 'gateway/no-limits': 'off' },
    'clusters/us/old/b.yaml': { 'gateway/rate-zero': 'info', 'gateway/schema': 'error', 'gateway/no-limits': 'off' },
    'apps/c.yaml': undefined,
  })
  expect(rules['clusters/us/a.yaml']).toBe(rules['clusters/us/old/b.yaml'])
})

it('leaves out what the settings ignore, and reads it when it is named', async () => {
  const folder = createFolder(files)
  expect(await judged(folder, [], { ignores: ['clusters/*/old', 'apps/*.yaml'] })).toEqual([
    'clusters/eu/a.yaml',
    'clusters/us/a.yaml',
  ])
  expect(await judged(folder, ['apps/c.yaml'], { ignores: ['apps'] })).toEqual(['apps/c.yaml'])
})

describe('the settings file', () => {
  it('is the nearest at or above the working directory, within the repository', () => {
    const folder = createFolder({
      'sluice.config.yaml': '',
      'repository/.git/': '',
      'repository/sluice.config.yaml': '',
      'repository/a/b/': '',
      'other/.git/': '',
    })
    expect(findSettings(join(folder, 'repository/a/b'))).toBe(join(folder, 'repository/sluice.config.yaml'))
    expect(findSettings(join(folder, 'repository'))).toBe(join(folder, 'repository/sluice.config.yaml'))
    expect(findSettings(join(folder, 'other'))).toBeUndefined()
    expect(findSettings(folder)).toBe(join(folder, 'sluice.config.yaml'))
  })
})
