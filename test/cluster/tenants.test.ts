/** Namespaces that hold objects of the same names: what is restored is never refused for its order. */
import { expect, test } from 'vitest'
import { hasOtherClocks } from './admission-server.ts'
import { useCluster, useWebhook } from './cluster.ts'
import { must } from './kubectl.ts'
import { gateway, namespace, policy, route, until } from './resources.ts'

const cluster = useCluster()
const { kubectl, read } = cluster
const webhook = useWebhook(cluster, { failurePolicy: 'Fail' })

const apply = (objects: readonly object[]) => kubectl('apply -f -', objects)

const ROUTES = Array.from({ length: 8 }, (_, index) => `r${index}`)

/** What is in a backup of a namespace. */
const backupOf = (space: string) => [
  ...ROUTES.map((name) => policy(`limits-${name}`, [`HTTPRoute/${name}`], {}, space)),
  ...ROUTES.map((name) => route('HTTPRoute', name, 'edge', space)),
  policy('limits-edge', ['Gateway/edge'], {}, space),
  gateway('edge', space),
]

/** The same order for the same seed. */
function shuffled<Item>(items: readonly Item[], seed: number): readonly Item[] {
  let state = seed
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state
  }
  return items
    .map((item) => ({ item, place: random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item)
}

test('restore of a whole backup in random order is never refused for order', async () => {
  for (const seed of [1, 2, 3]) {
    const spaces = [`north-${seed}`, `south-${seed}`]
    await must(apply(spaces.map((space) => namespace(space))))
    await must(apply(shuffled(spaces.flatMap(backupOf), seed)))
    const { items } = await read('ratelimitpolicies -A')
    expect(
      items.filter(({ metadata }: { metadata: { namespace: string } }) => spaces.includes(metadata.namespace)).length,
    ).toBe(2 * (ROUTES.length + 1))
  }
})

test('policies of one namespace before all of its routes, which another namespace has: warned about, not refused', async () => {
  await must(apply([namespace('first'), namespace('second'), ...backupOf('first')]))
  await until('the routes are heard of', async () => {
    const { code, stderr } = await apply(backupOf('second').filter(({ kind }) => kind === 'RateLimitPolicy'))
    expect(code).toBe(0)
    return stderr.includes('[gateway/target-namespace]')
  })
  await must(apply(backupOf('second')))
})

test.runIf(hasOtherClocks)(
  'in a namespace of more than ten minutes a policy away from its target is refused',
  async () => {
    const astray = policy('astray', ['Gateway/edge'], {}, 'third')
    await must(apply([namespace('third')]))
    await webhook.restart({ clock: 9 * 60 })
    expect(await apply([astray])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('[gateway/target-namespace]'),
    })
    await must(kubectl('delete ratelimitpolicy astray -n third'))
    await webhook.restart({ clock: 11 * 60 })
    const { code, stderr } = await apply([astray])
    expect(code).toBe(1)
    expect(stderr).toContain('spec.targetRefs[0].name')
    expect(stderr).not.toMatch(/first|second|north|south/)
  },
)
