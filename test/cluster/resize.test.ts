/**
 * With `keyChange: resize` the webhook writes another zone size for a changed key once (`test/fixtures/cluster/resize.txtar`),
 * and a real nginx takes every version that the API server stores.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { readPolicy } from '../../src/gateway/objects/policy.ts'
import { createBench, findPrograms } from '../nginx/real-nginx.ts'
import { startReloading } from '../nginx/reloads.ts'
import { writePolicy } from '../nginx/rendered-policy.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { gateway, limit, namespace, policy, until } from './resources.ts'
import { describeInCluster } from './transcripts.ts'

const SPACE = 'resized'
const keyed = (name: string, rule: object) => policy(name, ['Gateway/edge'], { local: { rules: [rule] } }, SPACE)

const cluster = useCluster({
  objects: [namespace(SPACE, { 'sluice.policy/mutate': 'enabled' }), gateway('edge', SPACE)],
})
const { kubectl } = cluster
const settings = () => join(cluster.folder, 'settings.yaml')
beforeAll(() => writeFileSync(settings(), 'admission: { keyChange: resize }\n'))
useWebhook(cluster, { more: () => ['--config', settings()] })
beforeAll(() =>
  until('the webhook fixes', async () => {
    await must(apply(keyed('probe', { key: '$host', rate: '10r/s' })))
    return (await stored('probe')).spec.rateLimit.local.rules[0].zoneSize === '10m'
  }),
)

const apply = (object: object) => kubectl('apply -f -', JSON.stringify(object))
const stored = async (name: string) =>
  JSON.parse(await must(kubectl(`get ratelimitpolicy ${name} -n ${SPACE} -o json --show-managed-fields`)))

describeInCluster(cluster, 'resize')

test('nginx takes every stored version, and refuses the one about which the webhook warns where it missed a reload', async () => {
  const [program] = findPrograms()
  if (!program) throw new Error('a real nginx is needed')
  const bench = createBench(program)
  onTestFinished(() => bench.dispose())
  const view = async () => readPolicy(await stored('real'))
  const write = async () => writePolicy(await view(), program, bench.directory)
  const [diligent, lazy] = [await startReloading(bench), await startReloading(bench)]
  const warnings: boolean[] = []
  const taken: boolean[] = []
  for (const key of ['$binary_remote_addr', '$host', '$uri', '$scheme']) {
    const { stderr } = await apply(keyed('real', limit({ key })))
    warnings.push(/: this zone had the size .*\[gateway\/key-change-without-zone-resize\]/.test(stderr))
    taken.push((await diligent.exchange(await write(), key)).taken)
    if (key === '$binary_remote_addr') await lazy.exchange(await write(), key)
    if (key === '$uri') expect(await lazy.exchange(await write(), key)).toMatchObject({ taken: false })
  }
  expect(taken).toEqual([true, true, true, true])
  expect(warnings).toEqual([false, false, true, false])
})
