/** The webhook in front of a cluster, as kubectl shows it: `test/fixtures/cluster/admission.txtar`. */
import { expect, test } from 'vitest'
import { useCluster, useWebhook } from './cluster.ts'
import { gateway, limited, namespace, policy, route } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const cluster = useCluster({
  objects: [
    namespace('outside', { 'sluice.policy/enforce': 'off' }),
    namespace('patched', { 'sluice.policy/mutate': 'enabled' }),
    gateway('edge'),
    route('HTTPRoute', 'cafe', 'edge'),
    gateway('edge', 'patched'),
    // Stored before anybody objected.
    limited('old', { rate: '0r/s' }),
  ],
})
const { kubectl } = cluster
useWebhook(cluster)

test.each([
  ['RatelimitPolicy', 'gateway.nginx.org/v1alpha1'],
  ['RateLimitPolicy', 'v1alpha1'],
  ['RateLimitPolicy', 'gateway.networking.k8s.io/v1alpha1'],
])('a %s of %s is refused by the API server itself, however it is sent', async (kind, apiVersion) => {
  const near = JSON.stringify({ ...policy('near', ['Gateway/edge']), kind, apiVersion })
  const path = '/apis/gateway.nginx.org/v1alpha1/namespaces/default/ratelimitpolicies'
  for (const how of ['apply -f -', 'apply --server-side -f -', 'create -f -', `create --raw ${path} -f -`]) {
    const { code, stderr } = await kubectl(how, near)
    expect([how, code, stderr.includes('admission webhook')]).toEqual([how, 1, false])
  }
  expect((await kubectl('get ratelimitpolicy near')).code).toBe(1)
})

describeInCluster(cluster, 'admission')
