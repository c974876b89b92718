/** Namespaces that hold objects of the same names: what is restored is never refused for its order. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type AdmissionServer,
  hasOtherClocks,
  installWebhooks,
  type Start,
  startAdmission,
  writeCertificate,
} from './admission-server.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { createKubectl, type Kubectl, must } from './kubectl.ts'
import { applyCrds, gateway, limit, namespace, policy, route, until } from './resources.ts'
import { ADMIN } from './users.ts'

let plane: ControlPlane
let kubectl: Kubectl
let server: AdmissionServer
let flags: readonly string[]

beforeAll(async () => {
  plane = await startControlPlane()
  kubectl = createKubectl(plane.kubeconfig(ADMIN))
  await applyCrds(kubectl)
  const certificate = await writeCertificate(plane.folder)
  flags = [...certificate.flags, '--kubeconfig', plane.kubeconfig(ADMIN)]
  server = await startAdmission(flags)
  await installWebhooks(kubectl, { port: server.port, authority: certificate.authority, failurePolicy: 'Fail' })
  await until('the webhook refuses', isGuarded)
})
afterAll(async () => {
  await server.stop()
  await plane.stop()
})

const apply = (objects: readonly object[]) => kubectl('apply -f -', objects)

const BROKEN = policy('broken', ['Gateway/edge'], { local: { rules: [limit({ rate: '0r/s' })] } })
const isGuarded = async () => (await kubectl('apply --dry-run=server -f -', [BROKEN])).code !== 0

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
    const { items } = JSON.parse(await must(kubectl('get ratelimitpolicies -A -o json')))
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
    const restart = async (start: Start) => {
      await server.stop()
      server = await startAdmission(flags, { port: server.port, ...start })
      await until('the watches are synced', () => server.isSynced())
      await until('the webhook refuses', isGuarded)
    }
    const astray = policy('astray', ['Gateway/edge'], {}, 'third')
    await must(apply([namespace('third')]))
    await restart({ clock: 9 * 60 })
    expect(await apply([astray])).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('[gateway/target-namespace]'),
    })
    await must(kubectl('delete ratelimitpolicy astray -n third'))
    await restart({ clock: 11 * 60 })
    const { code, stderr } = await apply([astray])
    expect(code).toBe(1)
    expect(stderr).toContain('spec.targetRefs[0].name')
    expect(stderr).not.toMatch(/first|second|north|south/)
  },
)
