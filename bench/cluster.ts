/** A real control plane for the benchmarks, and thousands of objects in it. */
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from 'js-yaml'
import { type ControlPlane, startControlPlane } from '../test/cluster/control-plane.ts'
import { CRD_FILES, gateway, limit, namespace, policy, route } from '../test/cluster/resources.ts'
import { ADMIN } from '../test/cluster/users.ts'

/** How many objects: those of every namespace, and how many namespaces. */
const NAMESPACES = 40
const GATEWAYS = 5
export const POLICIES = 10_000
export const ROUTES = 5_000

/** The namespaces that are filled. */
export const SPACES: readonly string[] = Array.from({ length: NAMESPACES }, (_, index) => `team-${index}`)

/** How many policies each of them has. */
export const POLICIES_EACH = POLICIES / NAMESPACES

/** Requests under way at once: the API server has two cores to share with everybody. */
const AT_ONCE = 32

type Resource = {
  readonly kind: string
  readonly apiVersion: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

/** A control plane that knows the kinds and holds what the benchmarks' review names, with neighbours. */
export async function startCluster(): Promise<ControlPlane> {
  const plane = await startControlPlane()
  try {
    await createAll(
      plane,
      Object.values(CRD_FILES).map((file) => load(readFileSync(file, 'utf8')) as Resource),
    )
    await createAll(plane, [namespace('shop')])
    await createAll(plane, [
      gateway('edge', 'shop'),
      route('HTTPRoute', 'coffee', 'edge', 'shop'),
      route('HTTPRoute', 'tea', 'edge', 'shop'),
      policy('edge', ['Gateway/edge'], { rejectCode: 429 }, 'shop'),
      policy('coffee', ['HTTPRoute/coffee'], { rejectCode: 429 }, 'shop'),
    ])
    return plane
  } catch (error) {
    await plane.stop()
    throw error
  }
}

/** Fills the cluster: two policies on every route unless there are fewer, both kinds of routes, five Gateways a namespace. */
export async function fill(plane: ControlPlane, policies = POLICIES): Promise<void> {
  const spaces = SPACES
  await createAll(
    plane,
    spaces.map((name) => namespace(name)),
  )
  await createAll(
    plane,
    spaces.flatMap((space) => series(GATEWAYS, (serial) => gateway(`edge-${serial}`, space))),
  )
  await createAll(
    plane,
    spaces.flatMap((space) => series(ROUTES / NAMESPACES, (serial) => routeOf(serial, space))),
  )
  await createAll(
    plane,
    spaces.flatMap((space) => series(policies / NAMESPACES, (serial) => policyOf(serial, space))),
  )
}

const series = <Item>(count: number, make: (serial: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, serial) => make(serial))

const kindOf = (serial: number) => (serial % 4 === 0 ? 'GRPCRoute' : 'HTTPRoute')
const routeOf = (serial: number, space: string) =>
  route(kindOf(serial), `route-${serial}`, `edge-${serial % GATEWAYS}`, space)

/** A policy of a namespace; `rate` in requests per second. */
export function policyOf(serial: number, space: string, rate = 10 + (serial % 90)) {
  const target = serial % (ROUTES / NAMESPACES)
  const rules = [limit({ rate: `${rate}r/s` }), limit({ key: '$binary_remote_addr$uri' })]
  return policy(`policy-${serial}`, [`${kindOf(target)}/route-${target}`], { local: { rules } }, space)
}

/** Creates objects, many at once; an API server that does not serve a kind yet is asked again. */
export async function createAll(plane: ControlPlane, objects: readonly Resource[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE, rejectUnauthorized: false })
  const waiting = [...objects]
  const work = async (): Promise<void> => {
    for (let object = waiting.pop(); object; object = waiting.pop()) await create(plane.url, object, agent)
  }
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work))
  } finally {
    agent.destroy()
  }
}

async function create(url: string, object: Resource, agent: Agent): Promise<void> {
  let said = ''
  for (const last = Date.now() + 30_000; Date.now() < last; await sleep(200)) {
    const { status, text } = await post(`${url}${pathOf(object)}`, JSON.stringify(object), agent)
    if (status === 201) return
    said = `${status} ${text}`
    if (status !== 404) break
  }
  throw new Error(`the API server says ${said}`)
}

function pathOf({ kind, apiVersion, metadata }: Resource): string {
  const base = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`
  const space = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`
  return `${base}${space}/${kind
    .toLowerCase()
    .replace(/([^aeiou])y$/, '$1ie')
    .replace(/s$/, 'se')}s`
}

const post = (url: string, body: string, agent: Agent): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${ADMIN.token}` }
    const outgoing = request(url, { method: 'POST', headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    outgoing.once('error', reject)
    outgoing.end(body)
  })
