/** `sluice manifests`. */
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
  expect(added.sort()).toEqual([
    'ClusterRole sluice-mesh-injection',
    'ClusterRoleBinding sluice-mesh-injection',
    'MutatingWebhookConfiguration sluice-mesh-injection',
  ])
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
    rules: [{ resources: ['configmaps'], resourceNames: ['mesh-config'] }],
  })
})

it('takes a namespace and an image', async () => {
  const { stdout } = await sluice(['manifests', '-n', 'gates', '--image', 'example.org/gate:7'])
  expect(stdout).toContain('image: example.org/gate:7')
  expect(stdout).not.toContain('sluice-system')
})

it('accepts reviews only from the addresses and ranges that are named', async () => {
  const ingress = async (...flags: readonly string[]) => {
    const { stdout } = await sluice(['manifests', ...flags])
    return objectsIn(stdout)['NetworkPolicy sluice-admission']
  }
  const from = (...blocks: readonly string[]) => ({
    from: blocks.map((cidr) => ({ ipBlock: { cidr } })),
    ports: [{ port: 9443, protocol: 'TCP' }],
  })
  const metrics = { ports: [{ port: 9090, protocol: 'TCP' }] }
  expect(
    await ingress('--api-server', '10.0.0.0/28', '--api-server', '192.0.2.7', '--api-server', '2001:db8::1'),
  ).toMatchObject({ spec: { ingress: [from('10.0.0.0/28', '192.0.2.7/32', '2001:db8::1/128'), metrics] } })
  const everywhere = { ports: [{ port: 9443, protocol: 'TCP' }] }
  expect(await ingress()).toMatchObject({ spec: { ingress: [expect.not.objectContaining({ from: [] }), metrics] } })
  expect(await ingress()).toHaveProperty('spec.ingress.0', everywhere)
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
  [['everything'], '"sluice manifests" takes admission or controller or api-management or mesh; got "everything"'],
  [['controller', '--mesh'], '--mesh is a flag of "sluice manifests admission"'],
  [['controller', '--overlay', 'fail-closed'], '--overlay is a flag of "sluice manifests admission"'],
  [
    ['--nginx-port', '80'],
    '--nginx-port is a flag of "sluice manifests controller" and "sluice manifests api-management"',
  ],
  [['api-management', '--nginx-port', '8443'], '--nginx-port 8443 is a port of the management API itself'],
  [['api-management', '--nginx-port', '80', '--nginx-port', '81'], 'has one port: use --nginx-port once'],
  [['api-management', '--tls-secret', 'A B'], '--tls-secret must be the name of a Secret such as "gateway-tls"'],
  [['--namespace', 'A_B'], '--namespace must be a name such as "shop"; got "A_B"'],
])('reports what is wrong with %j', async (argv, message) => {
  const { code, stderr } = await sluice(['manifests', ...argv])
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})

it.each(['10.0.0.0/33', '10.0.0', '10.0.0.0/8/8', '2001:db8::/129', 'kubernetes', '10.0.0.1/'])(
  'takes no API server %s',
  async (range) => {
    const { code, stderr } = await sluice(['manifests', '--api-server', range])
    expect(stderr).toContain(`--api-server must be an address or a range such as 10.0.0.0/28; got "${range}"`)
    expect(code).toBe(2)
  },
)
