/** The configuration of a sidecar, plain and transparent, in the real nginx between clients and an application. */

import { createSocket } from 'node:dgram'
import { mkdtempSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import { jsonAt } from '../../src/mesh/config.ts'
import { isCountable, MEANINGS } from '../../src/mesh/meanings.ts'
import { notEnforced } from '../../src/mesh/not-enforced.ts'
import { type Destination, renderSidecar, type SidecarSite } from '../../src/mesh/sidecar/render.ts'
import { balancingOf } from '../../src/mesh/sidecar/values.ts'
import { freePort } from '../free-ports.ts'
import { casesOf } from '../support/cases.ts'
import { type Backend, createGrpcClient, send, startGrpcBackend, startHttpBackend } from './backends.ts'
import { countOf, SEED } from './counts.ts'
import type { NginxProgram } from './real-nginx.ts'
import { checkAllRendered, type RunningGateway, runRendered } from './rendered.ts'
import { ask } from './requests.ts'
import { describeNginx, shared } from './with-nginx.ts'

const { cases, each } = casesOf(import.meta.url)

const SITE: SidecarSite = cases('SITE')

const filesOf = (config: JsonObject, site: Partial<SidecarSite>) => ({
  files: [{ name: 'nginx.conf', text: renderSidecar(config, apiNames(), { ...SITE, ...site }) }],
})

/** What the application got, and what the client got. */
type Exchange = {
  readonly heard: { readonly line: string; readonly headers: readonly string[]; readonly bytes: number }
  readonly answer: { readonly status: string; readonly headers: readonly string[]; readonly body: string }
}

/** Headers that an application may send, and that nginx obeys or replaces elsewhere. */
const ANSWER_HEADERS: Readonly<Record<string, string>> = cases('ANSWER_HEADERS')

const pairsOf = (raw: readonly string[]): readonly string[] =>
  raw
    .flatMap((name, index) => (index % 2 === 0 ? [`${name.toLowerCase()}: ${raw[index + 1]}`] : []))
    .filter((pair) => !/^(?:connection|keep-alive|transfer-encoding):/.test(pair))
    .sort()

/** An application that tells what it got, and answers as its path says: `/418`, with `/long` in long headers. */
function startApplication(): Promise<{ readonly server: Server; readonly port: number; last(): Exchange['heard'] }> {
  let last: Exchange['heard'] | undefined
  const server = createServer({ maxHeaderSize: 200_000 }, (incoming, response) => {
    let bytes = 0
    incoming.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    incoming.once('end', () => {
      last = { line: `${incoming.method} ${incoming.url}`, headers: pairsOf(incoming.rawHeaders), bytes }
      const long = incoming.url?.includes('long') ? { 'x-long': 'y'.repeat(30_000) } : {}
      response.writeHead(418, { ...ANSWER_HEADERS, ...long }).end('teapot')
    })
  })
  server.on('upgrade', (_, socket) => {
    socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: echo\r\nConnection: Upgrade\r\n\r\n')
    socket.pipe(socket)
  })
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        server,
        port,
        last() {
          if (!last) throw new Error('the application got no request')
          return last
        },
      })
    })
  })
}

type Asked = { readonly method?: string; readonly headers?: readonly string[]; readonly body?: Buffer }

const askWith = async (port: number, path: string, { headers = [], ...asked }: Asked = {}) => {
  const { code, rawHeaders, body } = await ask({ port, path, maxHeaderSize: 200_000, headers: [...headers], ...asked })
  return { status: `${code}`, headers: pairsOf(rawHeaders), body }
}

/** Switches a connection to another protocol that sends everything back. */
const echo = (port: number, { host, text }: { readonly host: string; readonly text: string }) =>
  new Promise<string>((resolve, reject) => {
    const headers = ['Host', host, 'Connection', 'Upgrade', 'Upgrade', 'echo']
    request({ host: '127.0.0.1', port, path: '/echo', headers, agent: false })
      .once('error', reject)
      .once('response', ({ statusCode }) => reject(new Error(`answered with ${statusCode}`)))
      .once('upgrade', (_, socket) => {
        let seen = ''
        socket.on('data', (part) => {
          seen += part
          if (seen.length < text.length) return
          socket.destroy()
          resolve(seen)
        })
        socket.write(text)
      })
      .end()
  })

const PORTS = [
  ...(['incoming', 'incomingGrpc', 'outgoing', 'outgoingGrpc'] as const),
  ...(['metrics', 'redirectHealthPort', 'incomingUdp'] as const),
] as const

type Running = {
  readonly nginx: RunningGateway
  readonly application: Awaited<ReturnType<typeof startApplication>>
  readonly pods: readonly Backend[]
  readonly orders: Backend
  readonly ports: Readonly<Record<(typeof PORTS)[number], number>>
  readonly config: JsonObject
}

/** Runs a sidecar for all tests of a group. */
function sidecar(program: NginxProgram, config: JsonObject): () => Running {
  const make = async (): Promise<Running> => {
    const application = await startApplication()
    const pods = [await startHttpBackend(), await startHttpBackend()]
    const orders = await startGrpcBackend()
    const free = await Promise.all(PORTS.map(async (name) => [name, await freePort()] as const))
    const ports = Object.fromEntries(free) as Running['ports']
    const destinations: readonly Destination[] = [
      { namespace: 'shop', name: 'web', port: 80, addresses: pods.map(({ address }) => address) },
      { namespace: undefined, name: 'web', port: 8080, addresses: [`127.0.0.1:${application.port}`] },
      { namespace: undefined, name: 'orders.beans.example', port: undefined, addresses: [orders.address] },
    ]
    const grpcPort = Number(orders.address.split(':')[1])
    const rendered = filesOf(
      { ...config, proxy: { transparent: config.transparent ?? false, ports } },
      { nginxVersion: program.version, containerPorts: [grpcPort, application.port], destinations },
    )
    const folder = mkdtempSync(join(tmpdir(), 'sluice-sidecar-'))
    const nginx = await runRendered(program, rendered, { folder, port: ports.outgoingGrpc })
    return { nginx, application, pods, orders, ports, config }
  }
  return shared(make, async ({ nginx, application, pods, orders }) => {
    for (const one of [nginx, ...pods, orders]) await one.stop()
    application.server.closeAllConnections()
    application.server.close()
  })
}

describeNginx('a sidecar', (program) => {
  describe('that is plain', () => {
    const running = sidecar(program, {
      ...{ clientMaxBodySize: '100k', nginxLogFormat: 'json', nginxErrorLogLevel: 'info' },
      loadBalancingMethod: 'random two least_time',
    })

    it('passes incoming requests to the application, and refuses bodies over clientMaxBodySize', async () => {
      const { ports, application } = running()
      const host = `shop.example:${application.port}`
      const headers = ['Host', host, 'X-Own', '1']
      const answer = await askWith(ports.incoming, '/a//b/%2e?x=1', { method: 'PUT', headers, body: Buffer.alloc(99) })
      expect(answer).toMatchObject({ status: '418', body: 'teapot' })
      expect(application.last()).toMatchObject({ line: 'PUT /a//b/%2e?x=1', bytes: 99 })
      expect(application.last().headers).toEqual(expect.arrayContaining([`host: ${host}`, 'x-own: 1']))
      const tooLarge = { method: 'POST', headers: { host }, body: Buffer.alloc(102_401) }
      expect(await send(ports.incoming, '/', tooLarge)).toBe(413)
    })

    it('writes the format and the level of its logs that the configuration says', async () => {
      const { nginx, ports, application } = running()
      const host = `shop:${application.port}`
      await askWith(ports.incoming, '/"logged"', { headers: ['Host', host] })
      const records = () => nginx.requests().map((line): unknown => JSON.parse(line))
      const record = { request: 'GET /"logged" HTTP/1.1', status: '418', host }
      await expect.poll(records).toContainEqual(expect.objectContaining(record))
      expect(nginx.log()).toContain('client intended to send too large body')
    })

    it('spreads outgoing requests over the Pods of a Service, by every name that it has', async () => {
      const { ports, pods } = running()
      const names = cases<string[]>('names of one Service')
      const codes: number[] = []
      for (const host of names.flatMap((name) => Array<string>(8).fill(name)))
        codes.push(await send(ports.outgoing, '/', { headers: { host } }))
      expect(new Set(codes)).toEqual(new Set([200]))
      expect(pods.map(({ heard }) => heard.length).reduce((sum, count) => sum + count)).toBe(40)
      expect(pods.every(({ heard }) => heard.length > 0)).toBe(true)
    })

    it('tells Services apart by namespace and port, and answers with 502 for others', async () => {
      const { ports } = running()
      const hosts = Object.entries(cases<Record<string, number>>('other names'))
      const codes = hosts.map(async ([host]) => [host, await send(ports.outgoing, '/', { headers: { host } })])
      expect(await Promise.all(codes)).toEqual(hosts)
    })

    it('passes gRPC calls in both directions', async () => {
      const { ports, orders } = running()
      for (const port of [ports.outgoingGrpc, ports.incomingGrpc]) {
        const client = createGrpcClient(port)
        expect(await client.call()).toMatchObject({ code: 200, grpc: 0 })
        client.close()
      }
      expect(orders.heard).toHaveLength(2)
    })
  })

  describe('that is asked for more than it does', () => {
    const running = sidecar(program, cases<JsonObject>('ASKS'))
    const said = (text: string | Buffer) =>
      new Promise<string>((resolve, reject) => {
        const socket = connect(running().ports.incoming, '127.0.0.1', () => socket.write(text))
        socket.once('error', reject).once('data', (data) => resolve(data.toString('latin1')))
      })
    const refuses = (port: number) =>
      new Promise<string>((resolve) => {
        const socket = connect(port, '127.0.0.1', () => resolve('connected'))
        socket.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      })
    const heardAs = async () => {
      const { ports, application } = running()
      const { status } = await askWith(ports.incoming, '/', { headers: ['Host', `shop:${application.port}`] })
      return { status, traces: application.last().headers.filter((one) => /trace|b3|datadog/.test(one)) }
    }
    /** What a test sees in place of what is asked for. */
    const PROOFS: Readonly<Record<string, () => Promise<unknown>>> = {
      answered: async () => expect(await heardAs()).toMatchObject({ status: '418' }),
      untraced: async () => expect(await heardAs()).toEqual({ status: '418', traces: [] }),
      replaced: async () => expect(balancingOf('least_time')).toEqual({ directive: 'least_conn', isReplaced: true }),
      'no metrics': async () => expect(await refuses(running().ports.metrics)).toBe('ECONNREFUSED'),
      // A port that somebody has cannot be bound.
      unheard: () =>
        new Promise<void>((resolve, reject) => {
          const socket = createSocket('udp4').once('error', reject)
          socket.bind(running().ports.incomingUdp, '127.0.0.1', () => socket.close(resolve))
        }),
    }

    it('does none of it, as its table says', async () => {
      const proven = cases<Record<string, string>>('nothing that is asked for is done')
      expect(notEnforced(running().config).map(({ pointer }) => pointer)).toEqual(Object.keys(proven))
      for (const proof of Object.values(proven)) await PROOFS[proof]?.()
    })

    it('answers TLS and TCP with 400, and takes no probe', async () => {
      const hello = Buffer.from('16030100050100000100', 'hex')
      for (const text of [hello, 'hello\r\n\r\n']) expect(await said(text)).toMatch(/^HTTP\/1\.1 400 |<title>400 /)
      expect(await refuses(running().ports.redirectHealthPort)).toBe('ECONNREFUSED')
    })
  })

  describe('that is transparent', () => {
    const running = sidecar(program, {
      ...{ transparent: true, clientMaxBodySize: '1k', loadBalancingMethod: 'random' },
    })

    it.each(['incoming', 'outgoing'] as const)('passes requests and responses, %s, as they are', async (name) => {
      const { ports, application } = running()
      const host = name === 'outgoing' ? 'web:8080' : `shop.example:${application.port}`
      const headers = [
        ...['Host', host, 'X-Own_Name', '1', 'X.Dotted', 'a', 'Accept-Encoding', 'br', 'Cookie', 'a=b; c=d'],
        ...['X-Forwarded-For', '1.2.3.4', 'X-Big', 'z'.repeat(40_000), 'Content-Length', '3000000'],
      ]
      const path = '/a//b/%2e%2F;x=1?q=%20&long'
      const answer = await askWith(ports[name], path, { method: 'PROPFIND', headers, body: Buffer.alloc(3_000_000) })
      expect(application.last()).toEqual({ line: `PROPFIND ${path}`, headers: pairsOf(headers), bytes: 3_000_000 })
      const direct = await askWith(application.port, path, {
        method: 'PROPFIND',
        headers,
        body: Buffer.alloc(3_000_000),
      })
      expect(answer).toEqual(direct)
    })

    it('passes a connection that changes its protocol, byte by byte', async () => {
      const text = 'any bytes\u0000\r\n\r\n'.repeat(5000)
      const { ports, application } = running()
      expect(await echo(ports.incoming, { host: `shop:${application.port}`, text })).toBe(text)
    })
  })

  it('is a configuration that nginx accepts, whatever the fields of the mesh say, unless lint tells of a port', () => {
    const port = fc.integer({ min: 8888, max: 8899 })
    const ports = fc.record({ incoming: port, outgoing: port, incomingGrpc: port, outgoingGrpc: port })
    const config = fc.record({
      clientMaxBodySize: fc.oneof(fc.stringMatching(/^\d{1,25}[kKmMgG]?$/), fc.string()),
      nginxErrorLogLevel: fc.constantFrom('debug', 'info', 'notice', 'warn', 'error', 'crit', 'alert', 'emerg', 'x;'),
      nginxLogFormat: fc.constantFrom('default', 'json', '}'),
      accessControlMode: fc.constantFrom('allow', 'deny'),
      loadBalancingMethod: fc.constantFrom(...cases<string[]>('loadBalancingMethod')),
      proxy: fc.record({ transparent: fc.boolean(), ports }),
    })
    const destination = fc.record({
      namespace: fc.constantFrom(undefined, 'shop', 'a-b'),
      name: fc.constantFrom('web', 'web.v1', '0'),
      port: fc.constantFrom(undefined, 80, 65535),
      addresses: fc.constantFrom(['10.0.0.1:80'], ['10.0.0.1:80', '[fd00::1]:80'], ['127.0.0.1:1', 'unix:/tmp/a']),
    })
    const keyOf = (one: Destination) => `${one.namespace} ${one.name} ${one.port}`
    const site = fc.record({
      destinations: fc.uniqueArray(destination, { selector: keyOf, maxLength: 4 }),
      resolver: fc.constantFrom(undefined, '10.96.0.10', '[fd00::a]'),
    })
    const all = fc.sample(fc.tuple(config, site), { numRuns: countOf('SLUICE_CASES', 300) / 10, seed: SEED })
    const rendered = all.map(([made, around]) => filesOf(made, { ...around, nginxVersion: program.version }))
    const verdicts = checkAllRendered(program, rendered)
    const isTold = ({ proxy }: JsonObject) => MEANINGS.some(({ holds }) => holds((at) => jsonAt({ proxy }, at)))
    const wrong = verdicts.filter(({ accepted }, at) => accepted === isTold(all[at]?.[0] ?? {}))
    expect(wrong).toEqual([])
    expect(new Set(verdicts.map(({ accepted }) => accepted)).size).toBe(2)
  })

  it('nginx counts the sizes that the mesh takes, and no larger ones', () => {
    const sizes = cases<string[]>('sizes')
    const [plain = { name: '', text: '' }] = filesOf({}, { nginxVersion: program.version }).files
    const withSize = (size: string) => plain.text.replace(/(client_max_body_size )[^;]+/, `$1${size}`)
    const verdicts = checkAllRendered(
      program,
      sizes.map((size) => ({ files: [{ ...plain, text: withSize(size) }] })),
    )
    expect(verdicts.map(({ accepted }) => accepted)).toEqual(sizes.map(isCountable))
  })
})

describe('least_time, which only NGINX Plus has,', () =>
  each<[string, string, string]>('as "%s" is replaced, which a comment says', (loadBalancingMethod, said, written) => {
    const destinations = [{ namespace: 'shop', name: 'web', port: 80, addresses: ['10.0.0.1:80'] }]
    const [file] = filesOf({ loadBalancingMethod }, { destinations }).files
    expect(file?.text.replaceAll(/\n# /g, ' ')).toContain(`is part of NGINX Plus, and ${said} takes its place`)
    expect(file?.text).toContain(`loadBalancingMethod is "${loadBalancingMethod}"`)
    expect(file?.text).toContain(`        ${written}\n`)
  }))
