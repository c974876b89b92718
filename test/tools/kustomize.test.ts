/** kubectl builds what the program prints, from the files of webhook-config/. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { programOf } from '../../scripts/kube-apiserver.ts'
import { componentNames } from '../../scripts/manifests/parts.ts'
import { allCombinations, byIdentity, expected, objectsIn } from '../installation/expected.ts'
import { share } from '../runs.ts'

const FOLDER = fileURLToPath(new URL('../../webhook-config', import.meta.url))
const kubectl = programOf('kubectl')
const hasKubectl = spawnSync(kubectl, ['version', '--client']).status === 0
if (!hasKubectl) console.log('no kubectl: the kustomize tests are left out')

function build(folder: string) {
  const { status, stdout, stderr } = spawnSync(kubectl, ['kustomize', folder], { encoding: 'utf8' })
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return objectsIn(stdout)
}

describe.runIf(hasKubectl || process.env.CI)('kubectl kustomize', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'sluice-kustomize-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  it('builds the base', () => expect(build(join(FOLDER, 'base'))).toEqual(byIdentity(expected())))

  it.each(componentNames())('builds the overlay %s', (name) =>
    expect(build(join(FOLDER, 'overlays', name))).toEqual(byIdentity(expected([name]))),
  )

  it('accepts reviews only from the addresses of the patch in docs/admission.md', () => {
    const page = readFileSync(join(FOLDER, '../docs/admission.md'), 'utf8')
    const patches = /```yaml\n# in a kustomization\.yaml\n(patches:[^`]+)```/.exec(page)?.[1] ?? ''
    writeFileSync(
      join(folder, 'kustomization.yaml'),
      `resources: ['${relative(folder, join(FOLDER, 'base'))}']\n${patches}`,
    )
    expect(build(folder)['NetworkPolicy sluice-admission']).toHaveProperty('spec.ingress.0', {
      from: [{ ipBlock: { cidr: '10.0.0.0/28' } }],
      ports: [{ port: 9443, protocol: 'TCP' }],
    })
  })

  it.each(
    share(
      allCombinations().filter(({ names }) => names.length > 1),
      6,
    ),
  )('combines $title', ({ names }) => {
    const below = (path: string) => relative(folder, join(FOLDER, path))
    const components = names.map((name) => below(`components/${name}`))
    writeFileSync(join(folder, 'kustomization.yaml'), JSON.stringify({ resources: [below('base')], components }))
    expect(build(folder)).toEqual(byIdentity(expected(names)))
  })
})
