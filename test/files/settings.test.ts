/** Settings by which files are judged; worlds and what is ignored: `kustomize.cases.yaml`. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findSettings } from '../../src/cli/core/project.ts'
import { collect } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const files = {
  'clusters/eu/a.yaml': policy(),
  'clusters/us/a.yaml': policy(),
  'clusters/us/old/b.yaml': policy(),
  'apps/c.yaml': policy(),
}

it('reads globs as relative to the settings, wherever one works', async () => {
  const folder = createFolder(files)
  const worlds = [{ name: 'eu', paths: ['clusters/eu'] }]
  const { sources } = await collect(join(folder, 'clusters/eu'), ['.'], { worlds, folder })
  expect(sources).toMatchObject([{ file: 'a.yaml', world: ['eu'] }])
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
