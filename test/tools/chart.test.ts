/** Helm makes of the chart what the program prints, whichever switches are on. */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { findHelm } from '../../scripts/helm.ts'
import { switchOf } from '../../scripts/manifests/chart.ts'
import { meshRemoval } from '../../scripts/manifests/mesh-chart.ts'
import { BASE } from '../../scripts/manifests/parts.ts'
import { meshInstallation, meshNames } from '../../src/installation/mesh.ts'
import { NAMES } from '../../src/installation/object.ts'
import { allCombinations, byIdentity, expected, objectsIn } from '../installation/expected.ts'
import { share } from '../runs.ts'

const CHART = fileURLToPath(new URL('../../webhook-config/chart', import.meta.url))
const helm = findHelm()
if (helm === undefined) console.log('no Helm: the tests of the chart are left out')

const run = (...parameters: readonly string[]) => spawnSync(helm ?? 'helm', parameters, { encoding: 'utf8' })

const set = (values: readonly string[]) => values.flatMap((value) => ['--set', value])

const template = (...parameters: readonly string[]) => templateOf(CHART, NAMES.namespace, parameters)

function templateOf(chart: string, namespace: string, parameters: readonly string[] = []) {
  const flags = ['--namespace', namespace, '--kube-version', '1.36.3', ...parameters]
  const { status, stdout, stderr } = run('template', 'any', chart, ...flags)
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return objectsIn(stdout)
}

describe.runIf(helm !== undefined || process.env.CI)('the chart', () => {
  it('passes helm lint', () => {
    const { status, stdout } = run('lint', '--strict', CHART)
    expect(stdout).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  it.each(share(allCombinations(), 6))('is the base with $title', ({ names }) => {
    const { [`Namespace ${NAMES.namespace}`]: _, ...rest } = byIdentity(expected(names))
    expect(template(...set(names.map((name) => `${switchOf(name)}=true`)))).toEqual(rest)
  })

  it('takes an image, replicas, resources and settings', () => {
    const values = ['image.repository=example.org/gate', 'image.tag=7', 'replicas=5', 'resources.requests.cpu=2']
    const objects = JSON.stringify(template(...set([...values, 'config.ruleset=0\\.1'])))
    expect(objects).toContain('"image":"example.org/gate:7"')
    expect(objects).toContain('"replicas":5')
    expect(objects).toContain('"cpu":2')
    expect(objects).toMatch(/ruleset: [^ ]*0\.1/)
  })

  it('accepts reviews only from the peers that are named', () => {
    const peers = [{ ipBlock: { cidr: '10.0.0.0/28' } }, { podSelector: { matchLabels: { app: 'agent' } } }]
    const { 'NetworkPolicy sluice-admission': policy } = template('--set-json', `apiServers=${JSON.stringify(peers)}`)
    expect(policy).toHaveProperty('spec.ingress.0', { from: peers, ports: [{ port: 9443, protocol: 'TCP' }] })
    const inside = { from: [{ namespaceSelector: {} }], ports: [{ port: 9090, protocol: 'TCP' }] }
    expect(policy).toHaveProperty('spec.ingress.1', inside)
  })

  it('names its own namespace wherever it is installed', () => {
    const flags = ['--namespace', 'gates', '--kube-version', '1.36.3', ...set(['certManager=true'])]
    const { stdout } = run('template', 'any', CHART, ...flags)
    expect(stdout).not.toContain(NAMES.namespace)
    expect(stdout).toContain('sluice-admission.gates.svc')
  })

  it.each(['certmanager=true', 'failClosed=maybe', 'replicas=0'])('rejects --set %s', (setting) =>
    expect(run('template', 'any', CHART, '--kube-version', '1.36.3', '--set', setting).status).not.toBe(0),
  )
})

describe.runIf(helm !== undefined || process.env.CI)('the chart of the mesh', () => {
  const chart = fileURLToPath(new URL('../../webhook-config/mesh-chart', import.meta.url))

  it('passes helm lint', () => {
    const { status, stdout } = run('lint', '--strict', chart)
    expect(stdout).toContain('0 chart(s) failed')
    expect(status).toBe(0)
  })

  it('is what the program prints, and a Job before the deletion', () => {
    const { namespace } = meshNames({})
    const choices = { ...BASE, namespace }
    const objects = [...meshInstallation(choices), ...meshRemoval(choices)]
    const { [`Namespace ${namespace}`]: _, ...rest } = byIdentity(objects)
    expect(templateOf(chart, namespace)).toEqual(rest)
    expect(rest).toHaveProperty(
      [`Job ${namespace}-api-remove`, 'metadata', 'annotations', 'helm.sh/hook'],
      'pre-delete',
    )
  })

  it('takes an image, replicas and settings, and no values of the other chart', () => {
    const values = ['image.repository=example.org/mesh', 'replicas=3', 'config.mesh=true']
    const text = JSON.stringify(templateOf(chart, 'mesh', set(values)))
    expect(text).toContain('"image":"example.org/mesh:')
    expect(text).toContain('"replicas":3')
    expect(run('template', 'any', chart, '--set', 'failClosed=true').stderr).toContain('failClosed')
  })
})
