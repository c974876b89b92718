/** Random worlds: the controller writes what `sluice status` shows for the same objects, once, and then rests. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { randomPolicies, SURROUNDINGS } from '../queries/random-worlds.ts'
import { ALL_CASES } from '../runs.ts'
import { allObjects, disagreements } from './agreement.ts'
import { useCluster } from './cluster.ts'
import { OWN, useControllers } from './controllers.ts'
import { must } from './kubectl.ts'
import { gatewayClass, namespace, until } from './resources.ts'

const cluster = useCluster({ objects: [gatewayClass('nginx', OWN), gatewayClass('theirs', 'example.com/other')] })
const { kubectl } = cluster
const { start } = useControllers(cluster)

const WORLDS = ALL_CASES ? 100 : 30
const SEED = Number(process.env.SLUICE_SEED ?? Date.now() % 1_000_000)

type World = {
  readonly space: string
  readonly around: readonly JsonObject[]
  readonly policies: readonly JsonObject[]
}

const into = (space: string) => (object: JsonObject) => ({
  ...object,
  metadata: { ...(object.metadata as JsonObject), namespace: space, creationTimestamp: undefined },
})

/** A Gateway of the other controller in some worlds. */
const classed = (className: string) => (object: JsonObject) =>
  object.kind === 'Gateway' && (object.metadata as JsonObject).name === 'inner'
    ? { ...object, spec: { ...(object.spec as JsonObject), gatewayClassName: className } }
    : object

const worlds: readonly World[] = fc
  .sample(fc.tuple(randomPolicies, fc.constantFrom('nginx', 'nginx', 'theirs')), { numRuns: WORLDS, seed: SEED })
  .map(([policies, className], index) => {
    const space = `world-${index}`
    return {
      space,
      around: SURROUNDINGS.map(classed(className)).map(into(space)),
      policies: policies.map(({ object }) => into(space)(object)),
    }
  })

/** What the API server refuses is not there; nothing else may fail. */
async function offer(objects: readonly object[]): Promise<void> {
  const { stderr } = await kubectl('create --validate=false -f -', objects)
  const others = stderr
    .split('\n')
    .filter((line) => line !== '' && !/is invalid|no matches for kind|cannot be handled/.test(line))
  expect(others.filter((line) => !/^[*\s]|BadRequest|ensure CRDs/.test(line))).toEqual([])
}

const settled = async (what: string) =>
  until(what, async () => disagreements(await allObjects(kubectl)).length === 0).catch(async (error: unknown) => {
    throw new Error(
      `seed ${SEED}: ${error}; ${disagreements(await allObjects(kubectl))
        .slice(0, 20)
        .join(', ')}`,
    )
  })

const versions = async () =>
  (await allObjects(kubectl)).map(({ kind, metadata }) => {
    const { namespace: space, name, resourceVersion } = metadata as JsonObject
    return `${kind}/${space}/${name} ${resourceVersion}`
  })

test('the statuses of random worlds are those of sluice status, as the worlds come, change and go', async () => {
  await offer(worlds.map(({ space }) => namespace(space)))
  await offer(worlds.flatMap(({ around, policies }) => [...around, ...policies.filter((_, index) => index % 2 === 1)]))
  const controller = await start()
  await settled('the first policies have their statuses')
  await new Promise((resolve) => setTimeout(resolve, 1100))
  await offer(worlds.flatMap(({ policies }) => policies.filter((_, index) => index % 2 === 0)))
  await settled('the younger policies have theirs')
  const text = JSON.stringify((await allObjects(kubectl)).map(({ status }) => status))
  for (const said of ['"Conflicted"', '"TargetNotFound"', 'nginx rejects the configuration', '"PolicyAffected"'])
    expect(text).toContain(said)
  const written = await versions()
  await new Promise((resolve) => setTimeout(resolve, 3000))
  expect(await versions()).toEqual(written)
  await must(kubectl(['delete', 'httproutes,gateways', '--all', '-n', 'world-1']))
  await must(kubectl(['delete', 'ratelimitpolicies', '--all', '-n', 'world-2']))
  await settled('statuses follow what is gone')
  expect(await controller.metrics()).toMatch(/^sluice_controller_writes_waiting 0$/m)
})
