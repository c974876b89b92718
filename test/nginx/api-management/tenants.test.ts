/**
 * Whether a proxy would take requests of another workspace's proxy is decided as nginx routes them: for random pairs, a real
 * nginx with the first alone, and with both, is asked who answers each request.
 */
import { connect } from 'node:net'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { placeOf } from '../../../src/api-management/render/plan.ts'
import { renderProxies } from '../../../src/api-management/render/render.ts'
import type { JsonObject } from '../../../src/json/member.ts'
import { losersOf } from '../../../src/queries/proxies/traffic.ts'
import { createFolder } from '../../files/folder.ts'
import { freePort } from '../../free-ports.ts'
import { serve } from '../../servers/api-management/served.ts'
import { casesOf } from '../../support/cases.ts'
import { countOf, printCount, SEED } from '../counts.ts'
import { runRendered } from '../rendered.ts'
import { describeNewestNginx } from '../with-nginx.ts'

const PAIRS = countOf('SLUICE_PAIRS', 150)
const { cases } = casesOf(import.meta.url)
type Universe = Readonly<Record<'hostnames' | 'paths' | 'services' | 'hosts' | 'targets', readonly string[]>>
const { hostnames, paths, services, hosts, targets } = cases<Universe>('universe')

const header = (name: string) => ({ 'request-correlation-id': [{ action: { httpHeaderName: name } }] })
const place = fc.record({
  hostname: fc.constantFrom(...hostnames),
  basePath: fc.constantFrom(...paths),
  append: fc.constantFrom('PREFIX', 'NONE'),
  version: fc.constantFrom('v1', 'v2'),
  service: fc.option(fc.constantFrom(...services), { nil: undefined, freq: 4 }),
  both: fc.boolean(),
})
type Place = typeof place extends fc.Arbitrary<infer Value> ? Value : never

function bodyOf(name: string, { hostname, basePath, append, version, service, both }: Place): JsonObject {
  const ingress = { basePath, basePathVersionAppendRule: append, routes: [{ uri: '/login/{id}' }] }
  return {
    ...{ name, version },
    proxyConfig: {
      ...(hostname === '' ? {} : { hostname }),
      ...(service === undefined || both ? { ingress } : {}),
      ...(service === undefined ? {} : { grpcIngress: { service } }),
      policies: header(name),
    },
  }
}

const trafficOf = (body: JsonObject) => {
  const { hostname = '', paths: at } = placeOf(body)
  return { hostname, paths: at }
}

/** Pairs that are not refused as the same place already. */
const pairs = fc
  .sample(fc.tuple(place, place), { numRuns: PAIRS, seed: SEED })
  .map(([first, second]) => [bodyOf('x-first', first), bodyOf('x-second', second)] as const)
  .filter(([first, second]) => {
    const [a, b] = [trafficOf(first), trafficOf(second)]
    const same = a.hostname === b.hostname ? [...a.paths, ...b.paths] : []
    return [same, a.paths, b.paths].every((all) => new Set(all).size === all.length)
  })

/** Who answers the requests of the first that it does not answer beside the second. */
const lostOf = (alone: Answers, both: Answers): Answers =>
  alone.flatMap((who, request) => (who === 'x-first' && both[request] !== who ? [both[request]] : []))

function kindOf(lost: Answers, status: number) {
  if (lost.length > 0) return lost.includes('x-second') ? 'taken' : 'deprived'
  return isRefusal(status) ? 'refused by ownership alone' : 'free'
}

describeNewestNginx('the traffic of two workspaces', (program) => {
  /** Runs bodies, each list at an address of its own. */
  async function run(scenes: readonly (readonly JsonObject[])[], reserved: readonly string[] = []) {
    const port = await freePort()
    const files = scenes.map((bodies, scene) => {
      const about = { workspace: 'w', environment: 'e', revision: 1 }
      const proxies = bodies.map((body, index) => ({ id: `p${scene}x${index}`, ...about, body }))
      const site = { nginxVersion: program.version, address: addressOf(scene), port }
      return renderProxies({ proxies, environments: [], reserved }, site)
    })
    const nginx = await runRendered(program, { files: together(files) }, { folder: createFolder(), port })
    onTestFinished(() => nginx.stop())
    return (scene: number) => answers(addressOf(scene), port)
  }

  test(`is decided as nginx routes it, for ${PAIRS} pairs`, async () => {
    const answersOf = await run(pairs.flatMap(([first, second]) => [[first], [first, second]]))
    const { serving } = await api()
    const counts = { pairs: pairs.length, taken: 0, deprived: 0, free: 0, 'refused by ownership alone': 0 }
    for (const [index, [first, second]] of pairs.entries()) {
      const lost = lostOf(await answersOf(2 * index), await answersOf(2 * index + 1))
      const losers = losersOf({ others: [trafficOf(first)], before: undefined, after: trafficOf(second) })
      const pair = JSON.stringify([first, second])
      expect({ pair, isTaken: losers.length > 0 }).toEqual({ pair, isTaken: lost.length > 0 })
      const status = await serving(first, second)
      if (lost.length > 0) expect({ pair, isRefused: isRefusal(status) }).toEqual({ pair, isRefused: true })
      counts[kindOf(lost, status)] += 1
    }
    printCount('SLUICE_PAIRS', `nginx ${program.version}: ${JSON.stringify(counts)}`)
    for (const number of Object.values(counts)) expect(number).toBeGreaterThan(PAIRS / 200)
  })

  test('no wildcard gets the requests for a hostname that is given to a workspace and has no proxy', async () => {
    const wide = bodyOf('x-first', {
      hostname: '*.example',
      basePath: '/',
      append: 'NONE',
      version: 'v1',
      service: undefined,
      both: false,
    })
    const [open, kept] = [await (await run([[wide]]))(0), await (await run([[wide]], ['pay.shop.example']))(0)]
    const lost = hosts.filter(
      (_, index) => open[index * targets.length] === 'x-first' && kept[index * targets.length] === undefined,
    )
    expect(lost).toEqual(['pay.shop.example', 'PAY.shop.EXAMPLE:80', 'pay.shop.example.'])
  })
})

type Answers = readonly (string | undefined)[]

const isRefusal = (status: number): boolean => status === 403 || status === 409

/** What the API answers to the second workspace, where the proxy of the first is there. */
async function api() {
  const server = serve({ ends: onTestFinished })
  for (const name of ['w0', 'w1']) await server.post('/services/workspaces', { name })
  const post = async (workspace: string, body: JsonObject) =>
    await server.post(`/services/workspaces/${workspace}/proxies`, body)
  return {
    async serving(first: JsonObject, second: JsonObject) {
      expect((await post('w0', first)).status).toBe(202)
      const { status } = await post('w1', second)
      if (status === 202) await server.remove('/services/workspaces/w1/proxies/x-second')
      await server.remove('/services/workspaces/w0/proxies/x-first')
      return status
    },
  }
}

/** Each scene has an address of its own on one port. */
const addressOf = (scene: number): string => (scene === 0 ? '127.0.0.1' : `127.1.${scene >> 8}.${scene & 255}`)

/** Several configurations in one: what they have in common once, and their own servers. */
function together(all: readonly (readonly { readonly name: string; readonly text: string }[])[]) {
  const main = (files: (typeof all)[number]) => files.find(({ name }) => name === 'nginx.conf')?.text ?? ''
  const [first = []] = all
  const own = all.slice(1).map((files) =>
    main(files)
      .match(/^ {4}(?:include .*;|server \{[\s\S]*?^ {4}\})$/gm)
      ?.join('\n'),
  )
  const headers = [
    ...new Set(
      all.flatMap(
        (files) =>
          main(files).match(
            /^ {4}(?:log_format sluice_x_\w+ .*;|map \$http_x_\w+ \$sluice_id_x_\w+ \{[\s\S]*?^ {4}\})$/gm,
          ) ?? [],
      ),
    ),
  ]
  const common = main(first)
    .replace('worker_connections 1024', 'worker_connections 8192')
    .replace('worker_processes auto', 'worker_processes 1')
  const missing = headers.filter((text) => !common.includes(text))
  const text = common.replace(/\}\s*$/, `${[...missing, ...own].join('\n')}\n}\n`)
  return [{ name: 'nginx.conf', text }, ...all.flatMap((files) => files.filter(({ name }) => name !== 'nginx.conf'))]
}

/** Which proxy answers each request; undefined where none does. */
async function answers(address: string, port: number): Promise<Answers> {
  const asked = hosts.flatMap((host) => targets.map((target) => `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n`))
  const socket = connect(port, address)
  socket.write(
    asked.map((request, index) => `${request}${index + 1 < asked.length ? '' : 'Connection: close\r\n'}\r\n`).join(''),
  )
  let text = ''
  for await (const chunk of socket.setEncoding('latin1')) text += chunk
  const found = text
    .split(/(?=HTTP\/1\.1 \d)/)
    .map((answer) => /^(x-first|x-second): /im.exec(answer)?.[1]?.toLowerCase())
  expect(found).toHaveLength(asked.length)
  return found
}
