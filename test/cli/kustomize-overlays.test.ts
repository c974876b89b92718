/** A base is judged as the overlays build it. */
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createFolder, policy } from '../files/folder.ts'
import { createRepository } from '../files/repository.ts'
import { findingsIn, KEY_CHANGE } from './key-changes.ts'
import { bare, lint, PATCHED, patch, shop } from './kustomizations.ts'
import { sluice } from './run.ts'

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
