import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { PROGRAM } from '../serving.ts'
import { useCluster } from './cluster.ts'
import { must, type Said } from './kubectl.ts'
import { gateway, limited, namespace, policy } from './resources.ts'
import { ADMIN, ROBOT, type User } from './users.ts'

const cluster = useCluster({
  objects: [
    namespace('shop'),
    gateway('edge'),
    policy('good', ['Gateway/edge']),
    limited('zero', { rate: '0r/s' }),
    policy('lost', ['Gateway/nowhere'], {}, 'shop'),
    gateway('counter', 'shop'),
    limited('none', { rate: '0r/s' }, 'shop', 'Gateway/counter'),
  ],
})
const { kubectl, store } = cluster
const folder = mkdtempSync(join(tmpdir(), 'sluice-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the real command as a person with a kubeconfig. */
function lint(parameters: string, user: User = ADMIN, kubeconfig = cluster.kubeconfig(user)): Promise<Said> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [PROGRAM, 'lint', ...parameters.split(' ')], {
      cwd: folder,
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const texts = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      texts.stdout += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      texts.stderr += chunk
    })
    child.once('close', (code) => resolve({ code: code ?? -1, ...texts }))
  })
}

const findingsOf = ({ stdout }: Said) =>
  JSON.parse(stdout).findings.map(({ rule, file }: { rule: string; file: string }) => `${file} ${rule}`)

test('--cluster judges the namespace of the context', async () => {
  const said = await lint('--cluster --format json')
  expect({ code: said.code, stderr: said.stderr }).toEqual({ code: 1, stderr: '' })
  expect(findingsOf(said)).toEqual(['default/RateLimitPolicy/zero gateway/rate-zero'])
})

test('--cluster -n and -A judge others, in a closed world', async () => {
  const missing = 'shop/RateLimitPolicy/lost gateway/target-not-found'
  const zero = 'shop/RateLimitPolicy/none gateway/rate-zero'
  expect(findingsOf(await lint('--cluster -n shop --format json')).sort()).toEqual([missing, zero].sort())
  expect(findingsOf(await lint('--cluster -A --format json'))).toContain(missing)
})

test('--old cluster knows the keys that nginx has now', async () => {
  const changed = limited('good', { key: '$uri' })
  writeFileSync(join(folder, 'good.yaml'), JSON.stringify(changed))
  expect(findingsOf(await lint('--old cluster --format json'))).toContain(
    'good.yaml gateway/key-change-without-zone-resize',
  )
  expect(findingsOf(await lint('. --format json'))).not.toContain('good.yaml gateway/key-change-without-zone-resize')
})

test('what cannot be asked is said in one line', async () => {
  expect(await lint('--cluster', ROBOT)).toMatchObject({
    code: 2,
    stderr: 'sluice: no RateLimitPolicy of the cluster can be read: the API server answers 403\n',
  })
  expect(await lint('--cluster --context nowhere')).toMatchObject({
    code: 2,
    stderr: 'sluice: no context "nowhere" in the kubeconfig\n',
  })
  writeFileSync(join(folder, 'broken.kubeconfig'), 'not: [yaml')
  expect(await lint('--cluster', ADMIN, join(folder, 'broken.kubeconfig'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/^sluice: the kubeconfig cannot be read: [^\n]+\n$/),
  })
  rmSync(join(folder, 'broken.kubeconfig'))
  expect(await lint('--cluster -n shpo')).toMatchObject({
    code: 2,
    stderr: 'sluice: the cluster has no namespace "shpo"\n',
  })
  expect(await lint('--cluster k8s')).toMatchObject({ code: 2, stderr: expect.stringContaining('without paths') })
})

test('with access to one namespace only, that one is judged, and a note says what is unknown', async () => {
  const kinds = ['ratelimitpolicies.gateway.nginx.org', 'gateways.gateway.networking.k8s.io']
  await must(kubectl(['create', 'role', 'reader', '-n', 'shop', '--verb=list', `--resource=${kinds.join()}`]))
  await must(kubectl('create rolebinding readers -n shop --role=reader --group=robots'))
  const said = await lint('--cluster -n shop --format json', ROBOT)
  // That a target is nowhere cannot be known: an open world is silent about it.
  expect(findingsOf(said)).toEqual(['shop/RateLimitPolicy/none gateway/rate-zero'])
  expect(said.stderr).toContain(
    'note: Gateway, RateLimitPolicy: only those of namespace "shop" can be read, and others are unknown: the API server answers 403\n',
  )
  expect(said.stderr).toContain('note: no HTTPRoute of the cluster can be read: the API server answers 403\n')
  expect((await lint('--cluster -n default', ROBOT)).code).toBe(2)
  expect((await lint('--cluster -A', ROBOT)).code).toBe(2)
  writeFileSync(join(folder, 'lost.yaml'), JSON.stringify(limited('lost', { key: '$uri' }, 'shop', 'Gateway/nowhere')))
  const compared = await lint('lost.yaml --old cluster -n shop --format json', ROBOT)
  expect(findingsOf(compared)).toContain('lost.yaml gateway/key-change-without-zone-resize')
  rmSync(join(folder, 'lost.yaml'))
})

test('a kind without permission to list it leaves the world open', async () => {
  await must(kubectl('create clusterrole policies --verb=list --resource=ratelimitpolicies.gateway.nginx.org'))
  await must(kubectl('create clusterrolebinding policies --clusterrole=policies --group=robots'))
  const said = await lint('--cluster -A --format json', ROBOT)
  const zeros = ['default/RateLimitPolicy/zero gateway/rate-zero', 'shop/RateLimitPolicy/none gateway/rate-zero']
  expect(findingsOf(said)).toEqual(zeros)
  expect(said.stderr).toContain('note: no Gateway of the cluster can be read: the API server answers 403')
})

test('a namespace in a target that the API server dropped is read from what was applied; nothing else keeps it', async () => {
  const far = (name: string) => {
    const one = policy(name, ['Gateway/edge'], {}, 'pruned')
    return {
      ...one,
      spec: { ...one.spec, targetRefs: one.spec.targetRefs.map((ref) => ({ ...ref, namespace: 'infra' })) },
    }
  }
  await store([namespace('pruned'), gateway('edge', 'pruned')])
  await must(kubectl('apply --validate=false -f -', [far('applied')]))
  await must(kubectl('create --validate=false -f -', [far('created')]))
  const refused = await kubectl('apply --server-side --validate=false -f -', [far('on-the-server')])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('field not declared in schema') })
  const objects = await must(kubectl('get ratelimitpolicies -n pruned -o json --show-managed-fields'))
  expect(
    JSON.parse(objects).items.map(({ metadata }: { metadata: object }) => JSON.stringify(metadata).includes('infra')),
  ).toEqual([true, false])
  const said = await lint('--cluster -n pruned --format json')
  expect(findingsOf(said)).toEqual(['pruned/RateLimitPolicy/applied gateway/target-namespace'])
  expect(said.stdout).toContain('the manifest names namespace \\"infra\\" for Gateway \\"edge\\"')
})
