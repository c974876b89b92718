/** docs/versions.md, the workflows and the chart name the versions that the tests run with. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { lineOf } from '../scripts/docs/versions-table.ts'
import { KUBERNETES_VERSIONS } from '../scripts/kube-apiserver.ts'
import { NGINX_VERSIONS } from '../scripts/provide.ts'
import { DEFAULT_SETTINGS } from '../src/settings/settings.ts'

const ROOT = join(import.meta.dirname, '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')

const PAGE = read('docs/versions.md')

/** The cells of the row whose first cell begins so. */
const row = (first: string): readonly string[] =>
  PAGE.split('\n')
    .find((line) => line.startsWith(`| ${first}`))
    ?.split('|')
    .slice(1, -1)
    .map((cell) => cell.trim()) ?? []

const CI = read('.github/workflows/ci.yml')

describe('the versions that are supported', () => {
  it('of Kubernetes are those that CI runs the tests of the cluster with', () => {
    const { oldest, newest } = KUBERNETES_VERSIONS
    expect(row('Kubernetes').slice(1, 3)).toEqual([`${lineOf(oldest)} and newer`, `${oldest}, ${newest}`])
    expect([...CI.matchAll(/SLUICE_KUBERNETES: (\S+)/g)].map(([, version]) => version)).toEqual([oldest])
    expect(read('.ci/run')).toMatch(/^suites.*\bcluster\b/m)
    expect(read('scripts/kube-apiserver/go.mod')).toContain(`\tk8s.io/kubernetes v${newest}\n`)
    expect(read('scripts/kube-apiserver/oldest/go.mod')).toContain(`\tk8s.io/kubernetes v${oldest}\n`)
  })

  it('of Kubernetes are those of the chart and of the page on the webhook', () => {
    const oldest = lineOf(KUBERNETES_VERSIONS.oldest)
    expect(load(read('webhook-config/chart/Chart.yaml'))).toHaveProperty('kubeVersion', `>=${oldest}.0-0`)
    expect(read('docs/admission.md')).toContain(`It needs Kubernetes\n${oldest} or newer`)
    expect(PAGE).toContain(`SLUICE_KUBERNETES=${KUBERNETES_VERSIONS.oldest} npm run test:cluster`)
  })

  it('of nginx are those of the tests, and the newest is what the settings take for granted', () => {
    const { oldest, newest } = NGINX_VERSIONS
    expect(row('nginx').slice(1, 3)).toEqual([`${lineOf(oldest)} to ${lineOf(newest)}`, `${oldest}, ${newest}`])
    expect(DEFAULT_SETTINGS.platform.nginxVersion).toBe(lineOf(newest))
  })

  it('of Node are that of the container of CI and that of the project', () => {
    const container = /container: node:(\d+)-/.exec(CI)?.[1]
    const { engines, devDependencies } = JSON.parse(read('package.json'))
    expect(row('Node').slice(1, 3)).toEqual([`${container} and newer`, `${container}, ${devDependencies.node}`])
    expect(engines.node).toBe(`>=${container}`)
  })

  it('of the kinds are those of the CRDs in the tests', () => {
    const crds = ['schemas/ratelimitpolicy.crd.yaml', ...globSync('test/cluster/crds/*.yaml', { cwd: ROOT })]
    expect(crds.length).toBeGreaterThan(5)
    for (const file of crds) {
      const { spec } = load(read(file)) as {
        readonly spec: {
          readonly group: string
          readonly names: { readonly plural: string }
          readonly versions: readonly { readonly name: string; readonly served: boolean }[]
        }
      }
      const served = spec.versions.filter((one) => one.served).map(({ name }) => `\`${spec.group}/${name}\``)
      expect(served, file).toContain(row(`\`${spec.names.plural}\``)[1])
    }
  })
})
