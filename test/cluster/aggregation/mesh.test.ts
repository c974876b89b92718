/** The built `sluice serve mesh` behind the aggregation layer of a real API server, with two replicas. */
import { expect, it } from 'vitest'
import { casesOf } from '../../support/cases.ts'
import { askServer } from '../ask.ts'
import { useCluster } from '../cluster.ts'
import { must } from '../kubectl.ts'
import { until } from '../resources.ts'
import { ADMIN, ROBOT, type User } from '../users.ts'
import { GROUP } from './aggregated.ts'
import { BASE, NAMESPACE, runInjectedPod, useMesh, WEB } from './mesh-servers.ts'

const { cases } = casesOf(import.meta.url)

const cluster = useCluster()
const { kubectl, store, read } = cluster
const mesh = useMesh(cluster, 2)

/** A request through the API server. */
const through = (user: User, path: string, asked?: Parameters<typeof askServer>[3]) =>
  askServer(cluster, `${BASE}/${path}`, user, asked)

const patch = (operation: object) => through(ADMIN, 'config', { method: 'PATCH', body: JSON.stringify(operation) })

const storedConfig = async () => {
  const configMap = await read(`configmap mesh-config -n ${NAMESPACE}`)
  return JSON.parse(configMap.data['mesh-config.json'])
}

it('is found by kubectl', async () => {
  const table = await must(kubectl(`api-resources --api-group=${GROUP} --no-headers`))
  expect(table.split('\n').map((line) => line.split(/ +/)[0])).toEqual(['config', 'inject', 'services', ''])
  expect(JSON.parse(await must(kubectl(`get --raw ${BASE}/config`)))).toMatchObject({
    namespace: NAMESPACE,
    injection: { isAutoInjectEnabled: true },
  })
})

it('stores changes of the configuration in a ConfigMap, and writes an Event about each', async () => {
  expect((await patch({ op: 'replace', field: { mtls: { mode: 'strict' } } })).status).toBe(200)
  expect(await storedConfig()).toMatchObject({ mtls: { mode: 'strict' } })
  await until('there is an Event', async () =>
    (await must(kubectl(`get events -n ${NAMESPACE}`))).includes('admin changed mtls.mode to "strict"'),
  )
  const refused = await patch({ op: 'replace', field: { mtls: { mode: 'sometimes' } } })
  expect(refused.status).toBe(400)
  expect(refused.body).toMatchObject({ code: 7892 })
})

it('who may write is decided by roles, in the words of the API server', async () => {
  const refused = await through(ROBOT, 'config')
  expect(refused.status).toBe(403)
  expect(refused.body).toMatchObject(cases<object>('is decided by roles, in the words of the API server'))
  const granted = cases<Record<string, readonly string[]>>('granted')
  for (const [role, allowed] of Object.entries(granted)) {
    const binding = `robot-${role}`
    await must(kubectl(`create clusterrolebinding ${binding} --clusterrole=nginx-mesh-api-${role} --user=robot`))
    await until(`the role ${role} counts`, async () => (await through(ROBOT, 'config')).status === 200)
    for (const operation of granted.operator ?? []) {
      const [method = '', resource = ''] = operation.split(' ')
      const { status } = await through(ROBOT, resource, { method, body: method === 'GET' ? '' : 'x' })
      expect(status === 403, `${role} ${operation}: ${status}`).toBe(!allowed.includes(operation))
    }
    await must(kubectl(`delete clusterrolebinding ${binding}`))
    await until('it is forgotten', async () => (await through(ROBOT, 'config')).status === 403)
  }
})

it('tells what runs in the mesh', async () => {
  await store(WEB)
  await runInjectedPod(kubectl, 'web-1', '10.1.0.1')
  await runInjectedPod(kubectl, 'web-2', '10.1.0.2')
  const read = async (resource: string) => (await through(ADMIN, resource)).body
  await until('both Pods are known', async () => JSON.stringify(await read('services')).includes('10.1.0.2'))
  expect(await read('services')).toMatchObject([
    { name: 'web', namespace: 'shop', addresses: ['10.1.0.1', '10.1.0.2'], ports: [{ port: 8080, protocol: 'http' }] },
  ])
  expect(await read('resources')).toEqual({ shop: { pod: ['web-1', 'web-2'] } })
  expect(await read('version')).toMatchObject({ 'nginx-mesh-sidecar': expect.arrayContaining(['1.6.0']) })
})

it('injects, with the configuration that is stored', async () => {
  const manifest =
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: one\nspec:\n  containers:\n  - name: web\n    image: web:1 # kept\n'
  const body = `--x\r\ncontent-disposition: form-data; name="file"; filename="a.yaml"\r\ncontent-type: application/octet-stream\r\n\r\n${manifest}\r\n--x--\r\n`
  const injected = await through(ADMIN, 'inject', { method: 'POST', type: 'multipart/form-data; boundary=x', body })
  expect(injected.status).toBe(200)
  expect(injected.text).toContain('image: web:1 # kept')
  expect(injected.text).toContain('- strict')
  expect((await kubectl('create --dry-run=server -n shop -f -', injected.text)).code).toBe(0)
})

it('loses no change of two replicas that are asked at once', async () => {
  await patch({ op: 'replace', field: { injection: { isAutoInjectEnabled: false } } })
  const asAdmin = async (port: number, name: string) => {
    const body = JSON.stringify({ op: 'add', field: { injection: { enabledNamespaces: [name] } } })
    const { status } = await through(ADMIN, 'config', { method: 'PATCH', port, ca: mesh.authority, body })
    return status
  }
  const names = Array.from({ length: 1000 }, (_, index) => `team-${index}`)
  const statuses: number[] = []
  // Fifty at a time, as many clients do: a thousand connections at once would measure the network of the machine.
  for (let first = 0; first < names.length; first += 50)
    statuses.push(
      ...(await Promise.all(
        names.slice(first, first + 50).map((name, index) => asAdmin(mesh.replicas[index % 2]?.port ?? 0, name)),
      )),
    )
  const made = names.filter((_, index) => statuses[index] === 200)
  expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([])
  expect(made.length).toBeGreaterThan(500)
  const { injection } = await storedConfig()
  expect([...injection.enabledNamespaces].sort()).toEqual(made.sort())
  for (const { port } of mesh.replicas)
    await until('every replica knows it', async () => {
      const { body } = await through(ADMIN, 'config', { port, ca: mesh.authority })
      return JSON.stringify(body).includes(JSON.stringify(injection.enabledNamespaces).slice(1, -1))
    })
})
