/** `sluice manifests`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
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

it('takes a namespace and an image', async () => {
  const { stdout } = await sluice(['manifests', '-n', 'gates', '--image', 'example.org/gate:7'])
  expect(stdout).toContain('image: example.org/gate:7')
  expect(stdout).not.toContain('sluice-system')
})

it('has the API groups of the settings, in rules, webhooks and the settings of the installation', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-manifests-'))
  writeFileSync(join(folder, 'other.yaml'), 'apiGroups: { vendor: acme, platform: metal }\n')
  const { code, stdout } = await sluice(['manifests', '--config', join(folder, 'other.yaml')])
  rmSync(folder, { recursive: true })
  expect(code).toBe(0)
  expect(stdout).not.toMatch(/gateway\.nginx\.org|gateway\.networking\.k8s\.io/)
  const groups = [...stdout.matchAll(/gateway\.(?:acme\.org|networking\.metal\.io)/g)].map(([group]) => group)
  expect(new Set(groups)).toEqual(new Set(['gateway.acme.org', 'gateway.networking.metal.io']))
  expect(stdout).toContain('apiGroups: { vendor: "acme", platform: "metal" }')
})

it.each([
  [['--overlay', 'fail-close'], 'unknown overlay "fail-close"; did you mean fail-closed?'],
  [['--overlay', 'x'], 'unknown overlay "x"; the overlays are cert-manager, fail-closed,'],
  [['everything'], '"sluice manifests" takes flags only; got "everything"'],
  [['--namespace', 'A_B'], '--namespace must be a name such as "shop"; got "A_B"'],
])('reports what is wrong with %j', async (argv, message) => {
  const { code, stderr } = await sluice(['manifests', ...argv])
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})
