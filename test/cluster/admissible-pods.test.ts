/** What the API server takes without the webhook of the mesh, it takes with it: random Pods in namespaces with limits of all kinds. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { BASE } from '../../scripts/manifests/parts.ts'
import { admissionInstallation } from '../../src/installation/admission.ts'
import { NAMES } from '../../src/installation/object.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { runs } from '../runs.ts'
import { casesOf } from '../support/cases.ts'
import { type AdmissionServer, installObjects, startAdmission, writeCertificate } from './admission-server.ts'
import { askServer } from './ask.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { namespace, until } from './resources.ts'
import { ADMIN } from './users.ts'

type Part = { readonly container?: JsonObject; readonly spec?: JsonObject; readonly metadata?: JsonObject }
type Configuration = { readonly settings: JsonObject; readonly config: JsonObject }
type Named = { readonly kind: string; readonly metadata: { readonly name: string } }

const { cases } = casesOf(import.meta.url)
const PODS = cases<Readonly<Record<string, Part>>>('pods')
const FEATURES = cases<readonly Part[]>('features')
const OBJECTS = cases<readonly Named[]>('objects')
const CONFIGURATIONS = cases<readonly Configuration[]>('configurations')
const SPACES = OBJECTS.filter(({ kind }) => kind === 'Namespace').map(({ metadata }) => metadata.name)

/** The matrix of the last recorded run. */
const RECORDED = join(import.meta.dirname, '../fixtures/cluster/admissible-pods.md')

const cluster = useCluster({ objects: [namespace('nginx-mesh'), ...OBJECTS] })
const { kubectl } = cluster
let server: AdmissionServer | undefined
beforeAll(async () => {
  const quotas = OBJECTS.filter(({ kind }) => kind === 'ResourceQuota')
  await must(kubectl('apply --server-side --subresource=status --force-conflicts -f -', quotas))
})
afterAll(() => server?.stop())

const merged = (a: unknown, b: unknown): unknown =>
  isObject(a) && isObject(b)
    ? { ...a, ...Object.fromEntries(Object.keys(b).map((key) => [key, merged(a[key], b[key])])) }
    : b

function podOf(parts: readonly Part[]): JsonObject {
  const { container, spec, metadata } = parts.reduce((all, part) => merged(all, part) as Part, {})
  const first = { name: 'app', image: 'app:1', ...container }
  const own = { metadata: { name: 'one', ...metadata }, spec: { containers: [first], ...spec } }
  return { apiVersion: 'v1', kind: 'Pod', ...own }
}

type Asked = { readonly kind: string; readonly space: string; readonly configuration: number; readonly pod: JsonObject }

async function create({ space, pod }: Pick<Asked, 'space' | 'pod'>) {
  const request = { method: 'POST', body: JSON.stringify(pod) }
  const path = `/api/v1/namespaces/${space}/pods?dryRun=All`
  const { status, text, warnings } = await askServer(cluster, path, ADMIN, request)
  const isLeft = warnings.some((one) => one.includes('no sidecar'))
  return { isTaken: status === 201, text, isLeft, hasSidecar: text.includes('spiffe.io/spiffeid') }
}

/** Eight at a time. */
async function createAll(all: readonly Asked[]) {
  const results: Awaited<ReturnType<typeof create>>[] = []
  for (let at = 0; at < all.length; at += 8) results.push(...(await Promise.all(all.slice(at, at + 8).map(create))))
  return results
}

async function serveWith({ settings, config }: Configuration): Promise<void> {
  await server?.stop()
  const { flags, authority } = await writeCertificate(cluster.folder)
  const file = join(cluster.folder, 'sluice.config.yaml')
  writeFileSync(file, JSON.stringify(settings))
  const data = { 'mesh-config.json': JSON.stringify({ injection: { isAutoInjectEnabled: true }, ...config }) }
  const metadata = { name: 'mesh-config', namespace: 'nginx-mesh' }
  await cluster.store([{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }])
  server = await startAdmission([...flags, '--kubeconfig', cluster.kubeconfig(ADMIN), '--mesh', '--config', file])
  const ofMesh = ({ kind, metadata: { name } }: Named) => kind.startsWith('Mutating') && name === NAMES.meshInjection
  const own = admissionInstallation({ ...BASE, mesh: true }).filter(ofMesh)
  await installObjects(kubectl, own, { port: server.port, authority })
  const probe = { space: 'open', pod: podOf([{ metadata: { name: `probe-${server.port}` } }]) }
  await until('the webhook knows everything', async () => {
    const { isLeft, hasSidecar, text } = await create(probe)
    return server?.log.join('').includes('is in use') === true && (hasSidecar || isLeft) && !text.includes('not known')
  })
}

it('takes every Pod that it takes without the webhook', async () => {
  const arbitrary = fc.record({
    kind: fc.constantFrom(...Object.keys(PODS)),
    space: fc.constantFrom(...SPACES),
    configuration: fc.nat(CONFIGURATIONS.length - 1),
    features: fc.subarray([...FEATURES], { maxLength: 3 }),
  })
  const many = Number(process.env.SLUICE_CASES ?? runs(2000).numRuns)
  const asked = fc
    .sample(arbitrary, many)
    .map(({ features, ...one }): Asked => ({ ...one, pod: podOf([PODS[one.kind] ?? {}, ...features]) }))
  const without = await createAll(asked)
  const taken = asked.filter((_, index) => without[index]?.isTaken)
  const counts = new Map<string, number>()
  const refused: unknown[] = []
  for (const [index, configuration] of CONFIGURATIONS.entries()) {
    const own = taken.filter((one) => one.configuration === index)
    await serveWith(configuration)
    for (const [at, { isTaken, isLeft, hasSidecar, text }] of (await createAll(own)).entries()) {
      const { kind, space } = own[at] as Asked
      const key = `${kind} ${space} ${hasSidecar}`
      counts.set(key, (counts.get(key) ?? 0) + 1)
      // Each Pod has the sidecar, or somebody is told why not.
      if (!isTaken || hasSidecar === isLeft) refused.push({ ...own[at], text: text.slice(0, 500) })
    }
  }
  const cell = (key: string) => `${counts.get(`${key} true`) ?? 0}/${counts.get(`${key} false`) ?? 0}`
  const rows = Object.keys(PODS).map((kind) => [kind, ...SPACES.map((space) => cell(`${kind} ${space}`))])
  const table = [['with the sidecar/left alone', ...SPACES], ['', ...SPACES].map(() => '---'), ...rows]
  const text = `# ${taken.length} Pods by kind and namespace\n\n${table.map((row) => `| ${row.join(' | ')} |\n`).join('')}`
  console.log(text)
  if (process.env.SLUICE_RECORD === '1') writeFileSync(RECORDED, text)
  expect(refused.slice(0, 5), `${refused.length} were refused, or nobody was told`).toEqual([])
  const injected = [...counts].filter(([key]) => key.endsWith('true')).reduce((sum, [, count]) => sum + count, 0)
  expect(injected).toBeGreaterThan(taken.length / 8)
})
