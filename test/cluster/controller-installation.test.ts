/** The rights of the controller's manifests on a real API server: enough for all that it does, and no more. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { controllerInstallation } from '../../src/installation/controller.ts'
import { type KubeObject, NAMES } from '../../src/installation/object.ts'
import { freePorts } from '../free-ports.ts'
import { useCluster } from './cluster.ts'
import { OWN, useControllers } from './controllers.ts'
import { createKubectl, must } from './kubectl.ts'
import { gateway, gatewayClass, namespace, policy, route, until } from './resources.ts'
import { ROBOT } from './users.ts'

const CHOICES = { namespace: NAMES.namespace, image: 'sluice:test', nginxPorts: [80, 443] }
const objects = controllerInstallation(CHOICES)

const cluster = useCluster({ objects: [gatewayClass('nginx', OWN)] })
const { kubectl, store, read } = cluster
const { start } = useControllers(cluster)

test('its rights are enough for all that it does, and for no more', async () => {
  const subjects = [{ kind: 'User', name: ROBOT.name, apiGroup: 'rbac.authorization.k8s.io' }]
  const bindings = objects.filter(({ kind }) => kind.endsWith('Binding'))
  await must(kubectl('apply --server-side -f -', objects))
  await must(
    kubectl(
      'apply --server-side --force-conflicts -f -',
      bindings.map((binding) => ({ ...binding, subjects })),
    ),
  )
  const folder = mkdtempSync(join(tmpdir(), 'sluice-rights-'))
  const [port = 0] = await freePorts(1)
  const flags = ['--kubeconfig', cluster.kubeconfig(ROBOT), '--namespace', NAMES.namespace]
  const running = await start(...flags, '--nginx-dir', folder, '--stop-nginx', '--port', String(port))
  try {
    await store([namespace('shop')])
    await store([
      gateway('edge', 'shop'),
      gateway('same-port', 'shop'),
      route('HTTPRoute', 'coffee', 'edge', 'shop'),
      route('GRPCRoute', 'chat', 'edge', 'shop'),
      policy('a', ['HTTPRoute/coffee'], { rejectCode: 429 }, 'shop'),
      policy('b', ['HTTPRoute/coffee'], { rejectCode: 429 }, 'shop'),
      policy('c', ['GRPCRoute/chat'], {}, 'shop'),
      policy('d', ['Gateway/edge'], {}, 'shop'),
    ])
    const status = async () =>
      JSON.stringify(
        (await read('gateways,httproutes,grpcroutes,ratelimitpolicies -n shop')).items.map(
          ({ status: own }: KubeObject) => own,
        ),
      )
    await until('all statuses are there', async () => {
      const text = await status()
      return (
        text.split('"Accepted","message"').length + text.split('"PolicyAffected"').length > 4 &&
        text.includes('Conflicted') &&
        text.split('"PolicyAffected"').length === 4
      )
    })
    const events = async () => must(kubectl('get events -n shop -o json'))
    await until('events are there', async () => /Conflicted/.test(await events()) && /NotEnforced/.test(await events()))
    await must(kubectl('delete ratelimitpolicies --all -n shop'))
    await until('all marks are gone', async () => !(await status()).includes('PolicyAffected'))
    expect(running.log.filter((line) => / 40[0-9]\b/.test(line))).toEqual([])
  } finally {
    expect(await running.stop()).toBe(0)
    rmSync(folder, { recursive: true, force: true })
  }
  const robot = createKubectl(cluster.kubeconfig(ROBOT))
  const denied = ['update ratelimitpolicies', 'patch gateways', 'delete httproutes', 'get secrets', 'update leases']
  for (const what of [...denied, 'delete events'])
    expect((await robot(`auth can-i ${what} -n shop`)).stdout.trim(), what).toBe('no')
})
