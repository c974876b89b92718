/** A commit's manifests are found as those on the disk are. */
import { cpSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import type { Comparison, ComparisonProblem } from '../../src/files/comparison.ts'
import { openOld } from '../../src/files/comparison.ts'
import { type CollectSourcesOptions, collectSources } from '../../src/files/discover/collect-sources.ts'
import { openBase } from '../../src/files/git/base.ts'
import { createBuilder } from '../../src/kustomize/build.ts'
import { fileOf, type Source } from '../../src/project/source.ts'
import { compareText } from '../../src/text/order.ts'
import { createRepository } from './repository.ts'

const EXAMPLES = fileURLToPath(new URL('../../examples', import.meta.url))

/** The settings of the lint, with a world and a glob that is left out. */
const optionsIn = (cwd: string): CollectSourcesOptions => ({
  cwd,
  folder: cwd,
  worlds: [{ name: 'eu', paths: ['fleet/clusters/eu'] }],
  overrides: [],
  ignores: ['**/tea.yaml'],
  rules: {},
  namespace: 'fallback',
  stdin: [],
})

type Open = (
  options: CollectSourcesOptions & { readonly paths: readonly string[] },
) => Promise<Comparison | ComparisonProblem>

/** Today's sources and the previous ones, in the order of their files. */
async function both(cwd: string, paths: readonly string[], open: Open) {
  const options = { ...optionsIn(cwd), paths }
  const comparison = await open(options)
  if ('problem' in comparison) throw new Error(comparison.problem)
  const { sources } = await collectSources(paths, { ...options, observer: comparison.observer })
  const previous = await comparison.read(sources)
  if ('problem' in previous) throw new Error(previous.problem)
  const inOrder = (all: readonly Source[]) => [...all].sort((a, b) => compareText(fileOf(a), fileOf(b)))
  return { today: inOrder(sources), previous: inOrder(previous.sources), notes: previous.notes }
}

/** A source without the function that builds it. */
const comparable = (source: Source): Source =>
  'builds' in source && source.builds
    ? { ...source, builds: source.builds.map((one) => ({ ...one, createBuilder })) }
    : source

function createExamples() {
  const repository = createRepository()
  cpSync(EXAMPLES, repository.folder, { recursive: true })
  symlinkSync('shop/routes', join(repository.folder, 'linked'))
  mkdirSync(join(repository.folder, 'more'))
  symlinkSync('../shop/gateway.yaml', join(repository.folder, 'more/gateway.yaml'))
  symlinkSync('../nowhere.yaml', join(repository.folder, 'more/lost.yaml'))
  repository.write({ '.gitignore': 'generated/\n', 'generated/a.yaml': 'kind: Gateway\n', 'empty.yaml': '' })
  repository.commit({})
  return repository
}

const PATHS = [
  ['.'],
  ['fleet/clusters', 'shop'],
  ['linked'],
  ['more'],
  ['fleet/**/*.yaml'],
  ['shop/routes/coffee.yaml'],
]

describe('what has not changed', () => {
  it.each(PATHS)('is the very same in the base (%s)', async (...paths) => {
    const { folder } = createExamples()
    const { today, previous, notes } = await both(folder, paths, (options) => openBase('HEAD', options))
    expect(today.length).toBeGreaterThan(0)
    expect(previous.map(comparable)).toEqual(today.map(comparable))
    expect(previous.filter((source, index) => source !== today[index])).toEqual([])
    expect(notes).toEqual([])
  })

  it.each([['.'], ['shop']])('is the very same in a copy (%s)', async (path) => {
    const { folder } = createExamples()
    const copy = createRepository().folder
    cpSync(folder, copy, { recursive: true, verbatimSymlinks: true })
    const { today, previous } = await both(folder, [path], async (options) => openOld([join(copy, path)], options))
    expect(previous.map(comparable)).toEqual(today.map(comparable))
    expect(previous.filter((source, index) => source !== today[index])).toEqual([])
  })
})

it('reads all of a base that is gone from the disk', async () => {
  const { folder, git } = createExamples()
  const { today } = await both(folder, ['.'], (options) => openBase('HEAD', options))
  git('rm', '-r', '--quiet', '--cached', '.')
  git('clean', '-xfdq')
  const { today: nothing, previous } = await both(folder, ['.'], (options) => openBase('HEAD', options))
  expect(nothing).toEqual([])
  expect(previous.map(comparable)).toEqual(today.map(comparable))
})
