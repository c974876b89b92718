/**
 * With `keyChange: resize` the webhook writes another zone size for a changed key once: the same manifest applied again
 * changes nothing, and a real nginx takes every version that the API server stores.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readPolicy } from '../../src/gateway/objects/policy.ts'
import { createBench, findPrograms } from '../nginx/real-nginx.ts'
import { startReloading } from '../nginx/reloads.ts'
import { writePolicy } from '../nginx/rendered-policy.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { gateway, limit, namespace, policy, until } from './resources.ts'

const SPACE = 'resized'
const keyed = (name: string, key: string, zoneSize: string | null = '10m') => {
  const { zoneSize: _, ...rest } = limit({ key })
  return policy(name, ['Gateway/edge'], { local: { rules: [zoneSize === null ? rest : { ...rest, zoneSize }] } }, SPACE)
}

const cluster = useCluster({
  objects: [namespace(SPACE, { 'sluice.policy/mutate': 'enabled' }), gateway('edge', SPACE)],
})
const { kubectl } = cluster
const settings = () => join(cluster.folder, 'settings.yaml')
beforeAll(() => writeFileSync(settings(), 'admission: { keyChange: resize }\n'))
useWebhook(cluster, { more: () => ['--config', settings()] })
beforeAll(() =>
  until('the webhook fixes', async () => {
    await must(apply(keyed('probe', '$host', null)))
    return (await stored('probe')).spec.rateLimit.local.rules[0].zoneSize === '10m'
  }),
)

const apply = (object: object, flags = '') => kubectl(`apply ${flags} -f -`.replace('  ', ' '), JSON.stringify(object))
const stored = async (name: string) =>
  JSON.parse(await must(kubectl(`get ratelimitpolicy ${name} -n ${SPACE} -o json --show-managed-fields`)))
const sizeOf = async (name: string): Promise<string> => (await stored(name)).spec.rateLimit.local.rules[0].zoneSize

/** As Flux does it: on the server, with a manager of its own, over whatever others wrote. */
const FLUX = '--server-side --force-conflicts --field-manager=kustomize-controller'

describe.each([
  ['on the client', ''],
  ['on the server', '--server-side --force-conflicts'],
  ['by Flux', FLUX],
])('a key that changes in a manifest applied %s', (how, flags) => {
  const name = `by-${how.replaceAll(' ', '-').toLowerCase()}`

  test.each([
    ['with a size', '10m'],
    ['without a size', null],
  ])('%s gets another size once, however often it is applied', async (_, zoneSize) => {
    const one = `${name}-${zoneSize ?? 'none'}`
    await must(apply(keyed(one, '$binary_remote_addr', zoneSize), flags))
    const changed = keyed(one, '$host', zoneSize)
    expect(await apply(changed, flags)).toMatchObject({ code: 0 })
    const first = await stored(one)
    expect(first.spec.rateLimit.local.rules).toEqual([{ key: '$host', rate: '10r/s', zoneSize: '11m' }])
    for (const _again of ['again', 'and again']) {
      await must(apply(changed, flags))
      const { metadata, spec } = await stored(one)
      expect([spec, metadata.generation, metadata.annotations]).toEqual([
        first.spec,
        first.metadata.generation,
        first.metadata.annotations,
      ])
    }
    const last = await stored(one)
    await must(apply(changed, flags))
    expect((await stored(one)).metadata.resourceVersion).toBe(last.metadata.resourceVersion)
  })
})

test('a label or a rate that changes leaves the size alone, and another size of the author is taken', async () => {
  await must(apply(keyed('kept', '$binary_remote_addr')))
  await must(apply(keyed('kept', '$host')))
  await must(kubectl(`label ratelimitpolicy kept -n ${SPACE} team=a`))
  expect(await sizeOf('kept')).toBe('11m')
  await must(apply(keyed('kept', '$host')))
  expect(await sizeOf('kept')).toBe('11m')
  await must(apply(keyed('kept', '$host', '20m')))
  expect(await sizeOf('kept')).toBe('20m')
})

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
    const { stderr } = await apply(keyed('real', key))
    warnings.push(/: this zone had the size .*\[gateway\/key-change-without-zone-resize\]/.test(stderr))
    taken.push((await diligent.exchange(await write(), key)).taken)
    if (key === '$binary_remote_addr') await lazy.exchange(await write(), key)
    if (key === '$uri') expect(await lazy.exchange(await write(), key)).toMatchObject({ taken: false })
  }
  expect(taken).toEqual([true, true, true, true])
  expect(warnings).toEqual([false, false, true, false])
})
