/** Settings of files. The worlds of files, and what is left out: `test/fixtures/discovery/settings.txtar`. */
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findSettings } from '../../src/cli/core/project.ts'
import type { Override } from '../../src/settings/settings.ts'
import { casesOf } from '../support/cases.ts'
import { collect } from './collect.ts'
import { createFolder, policy } from './folder.ts'

const { cases } = casesOf(import.meta.url)

it('merges the overrides that match, the last over the others, the command line over all', async () => {
  const names = ['clusters/eu/a.yaml', 'clusters/us/a.yaml', 'clusters/us/old/b.yaml', 'apps/c.yaml']
  const files = Object.fromEntries(names.map((name) => [name, policy()]))
  const overrides = cases<readonly Override[]>('overrides')
  const { sources } = await collect(createFolder(files), [], { overrides, rules: { 'gateway/schema': 'error' } })
  const rules = Object.fromEntries(sources.map((source) => [source.file, source.rules]))
  expect(rules).toEqual(cases('merges the overrides that match, the last over the others, the command line over all'))
  expect(rules['clusters/us/a.yaml']).toBe(rules['clusters/us/old/b.yaml'])
})

it('the settings file is the nearest at or above the working directory, within the repository', () => {
  const folder = createFolder({
    ...{ 'sluice.config.yaml': '', 'repository/sluice.config.yaml': '' },
    ...{ 'repository/.git/': '', 'repository/a/b/': '', 'other/.git/': '' },
  })
  expect(findSettings(join(folder, 'repository/a/b'))).toBe(join(folder, 'repository/sluice.config.yaml'))
  expect(findSettings(join(folder, 'repository'))).toBe(join(folder, 'repository/sluice.config.yaml'))
  expect(findSettings(join(folder, 'other'))).toBeUndefined()
  expect(findSettings(folder)).toBe(join(folder, 'sluice.config.yaml'))
})
