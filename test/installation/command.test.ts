/** What `sluice manifests` prints, as objects. Flags: `test/fixtures/cli/export.txtar`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { expect, it } from 'vitest'
import { writeDocuments } from '../../src/yaml/documents.ts'
import { sluice } from '../cli/run.ts'
import { byIdentity, expected, objectsIn } from './expected.ts'

it('prints the base', async () => {
  const { code, stdout, stderr } = await sluice(['manifests'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(objectsIn(stdout)).toEqual(byIdentity(expected()))
})

it('combines overlays', async () => {
  const { stdout } = await sluice(['manifests', '--overlay', 'fail-closed', '--overlay', 'single-node'])
  expect(objectsIn(stdout)).toEqual(byIdentity(expected(['fail-closed', 'single-node'])))
})

it('with --mesh has a webhook for Pods, its rights and a flag of the server more, and all else as without', async () => {
  const objects = objectsIn((await sluice(['manifests', '--mesh'])).stdout)
  const base = byIdentity(expected())
  const added = Object.keys(objects).filter((identity) => !(identity in base))
  const kinds = ['ClusterRole', 'ClusterRoleBinding', 'MutatingWebhookConfiguration']
  expect(added.sort()).toEqual(kinds.map((kind) => `${kind} sluice-mesh-injection`))
  const changed = Object.keys(base).filter((identity) => !isDeepStrictEqual(base[identity], objects[identity]))
  expect(changed).toEqual(['Deployment sluice-admission'])
  const [withMesh, without] = [objects, base].map((all) => writeDocuments([all['Deployment sluice-admission']]))
  expect(withMesh?.split(/^ +- --mesh\n/m).join('')).toBe(without)
  expect(withMesh).not.toBe(without)
})

it('with --mesh follows the API groups, and leaves the caBundle to cert-manager where that is chosen', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-manifests-'))
  writeFileSync(join(folder, 'other.yaml'), 'apiGroups: { vendor: acme, platform: metal }\n')
  const flags = ['--mesh', '--config', join(folder, 'other.yaml'), '--overlay', 'cert-manager']
  const { stdout } = await sluice(['manifests', ...flags])
  rmSync(folder, { recursive: true })
  const objects = objectsIn(stdout)
  const webhook = JSON.stringify(objects['MutatingWebhookConfiguration sluice-mesh-injection'])
  for (const part of ['acme-mesh', 'injector.nsm.acme.com/auto-inject', 'cert-manager.io/inject-ca-from'])
    expect(webhook).toContain(part)
  expect(objects['ClusterRole sluice-mesh-injection']).toMatchObject({
    rules: [
      { resources: ['configmaps'], resourceNames: ['mesh-config'] },
      { resources: ['limitranges', 'resourcequotas'], verbs: ['get', 'list', 'watch'] },
      { resources: ['events'] },
    ],
  })
})
