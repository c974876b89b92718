/** Tools that write the policies which the webhook completes: several the same ones (`test/fixtures/cluster/writers.txtar`), and each its own. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isObject, type JsonObject } from '../../../src/json/member.ts'
import { SEED } from '../../nginx/counts.ts'
import { policiesFor } from '../../nginx/policy-grammar.ts'
import { ALL_CASES } from '../../runs.ts'
import { useCluster, useWebhook } from '../cluster.ts'
import { gateway, namespace } from '../resources.ts'
import { describeInCluster } from '../transcripts.ts'

const cluster = useCluster({
  objects: [namespace('shared', { 'sluice.policy/mutate': 'enabled' }), gateway('edge', 'shared')],
})
const webhook = useWebhook(cluster, { failurePolicy: 'Fail' })

/** Stops the webhook, starts it again, or has the API server ask it with another failure policy. */
async function change(how = ''): Promise<string> {
  if (how === 'stop') await webhook.server.stop()
  else if (how === 'start') await webhook.restart()
  else await webhook.install(how === 'Ignore' ? 'Ignore' : 'Fail')
  return ''
}
describeInCluster(cluster, 'writers', { words: { webhook: change } })

const NGINX = { path: 'nginx', version: '1.31.3', built: '' }

/** Policies with something odd in every field, of which the webhook completes some and denies some. */
const policiesOf = (manager: string): readonly JsonObject[] =>
  fc.sample(policiesFor(NGINX), { numRuns: ALL_CASES ? 200 : 20, seed: SEED }).map((policy, index) => ({
    ...JSON.parse(JSON.stringify(policy)),
    metadata: { namespace: 'shared', name: `${manager}-${index}` },
  }))

const storedBy = async (manager: string): Promise<readonly JsonObject[]> => {
  const { items } = await cluster.read('ratelimitpolicies -n shared')
  return items.filter(({ metadata }: { metadata: { name: string } }) => metadata.name.startsWith(`${manager}-`))
}

const nameOf = ({ metadata }: JsonObject) => (isObject(metadata) ? metadata.name : undefined)

test.each([
  ['argocd-controller', ['--server-side', '--force-conflicts', '--field-manager=argocd-controller']],
  ['kustomize-controller', ['--server-side', '--force-conflicts', '--field-manager=kustomize-controller']],
  ['kubectl', []],
])('%s, which compares what it would write with what is there, sees no drift', async (manager, flags) => {
  const { kubectl } = cluster
  const written = policiesOf(manager)
  // What the API server or the webhook refuses is not there, and cannot drift.
  await kubectl(['apply', ...flags, '--validate=false', '-f', '-'], written)
  const live = await storedBy(manager)
  const wanted = written.filter((one) => live.some((other) => nameOf(other) === nameOf(one)))
  const specs = new Map(wanted.map((one) => [nameOf(one), JSON.stringify(one.spec)]))
  expect(live.some((one) => JSON.stringify(one.spec) !== specs.get(nameOf(one)))).toBe(true)
  const { stdout, code } = await kubectl(['apply', ...flags, '--dry-run=server', '-o', 'json', '-f', '-'], wanted)
  expect(code).toBe(0)
  // With its resourceVersion: nothing would be written.
  const byName = (one: JsonObject, other: JsonObject) => (String(nameOf(one)) < String(nameOf(other)) ? -1 : 1)
  expect(JSON.parse(stdout).items.toSorted(byName)).toEqual(live.toSorted(byName))
  expect(await kubectl(['diff', ...flags, '-f', '-'], wanted)).toMatchObject({ code: 0, stdout: '' })
})
