/** The system of the tests against a real API server: watched and read without a change in src/. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { parseArgs } from '../../src/cli/core/flags.ts'
import { FLAGS } from '../../src/cli/lint/args.ts'
import { runLint } from '../../src/cli/lint/run.ts'
import { systemClock } from '../../src/cluster/client/clock.ts'
import { clusterOfFile } from '../../src/cluster/client/kubeconfig.ts'
import { watchCluster } from '../../src/cluster/watch/watch.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { createIo, type Outcome } from '../cli/run.ts'
import { cup, GROUP, kettle, stateOfCup, WITH_TEA } from '../registry/tea.ts'
import { useCluster } from './cluster.ts'
import { must } from './kubectl.ts'
import { limited, namespace, until } from './resources.ts'
import { ADMIN } from './users.ts'

const cluster = useCluster()
const { kubectl, store } = cluster
const folder = mkdtempSync(join(tmpdir(), 'sluice-tea-'))

/** The smallest CRD under which the API server stores a kind. */
const ANY = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }
const crd = (kind: string, plural: string) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${GROUP}` },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
    versions: [{ name: 'v1', served: true, storage: true, schema: ANY }],
  },
})

beforeAll(async () => {
  const crds = [crd('Kettle', 'kettles'), crd('Cup', 'cups')]
  await store(crds)
  for (const plural of ['kettles', 'cups'])
    await until(`the API server serves ${plural}`, async () => (await kubectl(`get ${plural} -A`)).code === 0)
  await store([namespace('shop'), cup('blue'), kettle({ water: 3, cups: ['blue', 'red'] })])
})
afterEach(() => {
  vi.unstubAllEnvs()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs `sluice lint` in this process, with the system and its rules. */
async function lint(...argv: readonly string[]): Promise<Outcome> {
  // The client of the API server reads the environment of the process itself.
  vi.stubEnv('KUBECONFIG', cluster.kubeconfig(ADMIN))
  const { io, written } = createIo(argv, { cwd: folder, env: { KUBECONFIG: cluster.kubeconfig(ADMIN) } })
  const code = await runLint(io, parseArgs(FLAGS, argv, ''), WITH_TEA)
  return { code, ...written }
}

const findingsOf = ({ stdout }: Outcome): readonly string[] =>
  JSON.parse(stdout).findings.map(({ rule, file }: { rule: string; file: string }) => `${file} ${rule}`)

test('a watched cluster knows which of its objects exist, and sees changes', async () => {
  const watch = watchCluster(clusterOfFile(cluster.kubeconfig(ADMIN)), {
    names: apiNames(),
    systems: WITH_TEA.systems,
    clock: systemClock,
  })
  try {
    const states = () => ['blue', 'red'].map((name) => stateOfCup(watch.view().world.lookups, name))
    expect(states()).toEqual(['unknown', 'unknown'])
    await until('everything is synced', () => watch.view().synced)
    expect(watch.state().map(({ kind }) => kind)).toEqual(expect.arrayContaining(['Kettle', 'Cup', 'Gateway']))
    expect(states()).toEqual(['found', 'absent'])
    await store([cup('red')])
    await until('the new cup is found', () => states().join() === 'found,found')
    await must(kubectl('delete cup red -n shop'))
    await until('the deleted cup is absent', () => states().join() === 'found,absent')
  } finally {
    watch.stop()
  }
})

test('--cluster judges what the cluster stores, beside the objects of other systems', async () => {
  const zero = limited('zero', { rate: '0r/s' }, 'shop')
  await store([zero])
  const outcome = await lint('--cluster', '-n', 'shop', '--format', 'json')
  expect({ code: outcome.code, stderr: outcome.stderr }).toEqual({ code: 1, stderr: '' })
  expect(findingsOf(outcome)).toEqual(
    expect.arrayContaining([
      'shop/Kettle/whistle tea/too-much-water',
      'shop/Kettle/whistle tea/cup-not-found',
      'shop/RateLimitPolicy/zero gateway/rate-zero',
    ]),
  )
})

test('files are read for its kinds, fixed, and judged by rules that flags and the baseline can name', async () => {
  const file = join(folder, 'kettle.json')
  writeFileSync(file, JSON.stringify(kettle({ water: 3, cups: ['blue', 'red'] })))
  expect(findingsOf(await lint('--format', 'json'))).toEqual(['kettle.json tea/too-much-water'])
  expect(findingsOf(await lint('--rule', 'tea/too-much-water=off', '--format', 'json'))).toEqual([])
  expect(await lint('--write-baseline')).toMatchObject({ code: 0 })
  expect(findingsOf(await lint('--baseline', 'sluice.baseline.json', '--format', 'json'))).toEqual([])
  const fixed = await lint('--fix', '--format', 'json')
  expect({ code: fixed.code, findings: findingsOf(fixed) }).toEqual({ code: 0, findings: [] })
  const gone = await lint('--baseline', 'sluice.baseline.json', '--format', 'json')
  expect(gone.stderr).toContain('tea/too-much-water in kettle.json')
})

test('--old cluster compares with the objects of its kinds', async () => {
  writeFileSync(join(folder, 'kettle.json'), JSON.stringify(kettle({ water: 1 })))
  expect(await lint('--old', 'cluster', '--format', 'json')).toMatchObject({ code: 0, stderr: '' })
})
