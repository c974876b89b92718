/** AdmissionReviews, and what is none, over TLS to the built webhook in a process of its own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { createInterface } from 'node:readline'
import { connect } from 'node:tls'
import { fileURLToPath } from 'node:url'
import fastJsonPatch, { type Operation } from 'fast-json-patch'
import type { Random } from '../../bench/random.ts'
import { isObject } from '../../src/json/member.ts'
import { anyValue, mutatedText, mutatedValue } from '../core/mutate.ts'
import { textAt } from '../core/read.ts'
import { KINDS, POLICY } from '../core/samples.ts'
import type { Input, OpenTarget, Problem, Target } from '../core/target.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))
const HOST = '127.0.0.1'

/** Milliseconds until a connection must have ended: nothing is measured by it. */
const PATIENCE = 60_000
/** Milliseconds of the server's processor time for one request, and the bytes that its manifest gives it. */
const MOST_TIME = 1000
const MOST_MEMORY = 512 * 2 ** 20

/** What a client can be told: that its request is wrong. */
const ANSWERS = [200, 400, 404, 405, 408, 411, 413, 414, 415, 417, 426, 431, 501, 505]

const PATHS = [
  '/validate',
  '/validate',
  '/mutate',
  '/mutate',
  '/observe',
  '/validate?timeout=10s',
  '/nope',
  '/',
] as const
const TYPES = ['application/json', 'application/json', 'application/json; charset=utf-8', 'text/plain', ''] as const
const OPERATIONS = ['CREATE', 'UPDATE', 'UPDATE', 'DELETE', 'CONNECT'] as const

const HTTP_PIECES: readonly string[] = [
  ...['\r\n', '\n', '\r', '\r\n\r\n', ' ', ':', ';', '\u0000', '0\r\n\r\n', '5\r\nhello\r\n', 'ffffffff\r\n', '-1'],
  ...[
    'transfer-encoding: chunked\r\n',
    'content-length: 5\r\n',
    'content-length: 99999999999\r\n',
    'expect: 100-continue\r\n',
  ],
  ...[
    'connection: upgrade\r\nupgrade: h2c\r\n',
    'content-encoding: gzip\r\n',
    'host: b\r\n',
    'HTTP/9.9',
    'PRI * HTTP/2.0',
  ],
  ...['GET ', 'CONNECT ', '%ff', '/../', `x: ${'y'.repeat(20_000)}\r\n`],
]

export const ADMISSION: Target = {
  name: 'admission',
  reads: 'AdmissionReviews and broken HTTP over TLS to the built webhook',
  make(random) {
    const body = bodyOf(random)
    if (random.below(8) === 0) {
      const head = `POST ${random.pick(PATHS)} HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
      return { raw: mutatedText(random, head + body.slice(0, random.below(2000)), HTTP_PIECES) }
    }
    return {
      path: random.pick(PATHS),
      method: random.pick(['POST', 'POST', 'POST', 'POST', 'PUT']),
      type: random.pick(TYPES),
      body,
    }
  },
  open,
}

function bodyOf(random: Random): string {
  const kind = () => mutatedValue(random, random.below(3) === 0 ? random.pick(KINDS) : POLICY)
  const review = {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      ...{ uid: '0b5f', operation: random.pick(OPERATIONS), namespace: 'shop', name: 'coffee', dryRun: false },
      ...{ subResource: random.pick(['', '', 'status', 'scale']), object: kind(), oldObject: kind() },
    },
  }
  const written = JSON.stringify(random.below(5) === 0 ? mutatedValue(random, review) : review)
  if (random.below(40) === 0) return JSON.stringify(anyValue(random))
  return random.below(5) === 0 ? mutatedText(random, written) : written
}

async function open(): Promise<OpenTarget> {
  const flags = ['serve', 'admission', '--standalone', '--host', HOST, '--port', '0', '--health-port', '0']
  const server = spawn(process.execPath, [CLI, ...flags], { stdio: ['ignore', 'pipe', 'ignore'] })
  const errors: string[] = []
  const port = await new Promise<number>((resolve, reject) => {
    server.once('exit', (code) => reject(new Error(`${CLI} ended with ${code}: npm run build`)))
    createInterface(server.stdout).on('line', (line) => {
      const { port: listening, level }: { port?: number; level: string } = JSON.parse(line)
      if (listening !== undefined) resolve(listening)
      if (level === 'error') errors.push(line)
    })
  })
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
  const ask = (asked: Asked) => send({ port, agent }, asked)
  return {
    async check(input) {
      const before = processorTime(server)
      const raw = textAt(input, 'raw')
      const problems = raw === '' ? await reviewProblems(ask, input) : await rawProblems(port, raw)
      const took = processorTime(server) - before
      const late = took > MOST_TIME ? [{ what: 'time of the server', detail: `${took} ms` }] : []
      const logged = errors.splice(0).map((line) => ({ what: 'an error in the log', detail: line }))
      return [...problems, ...late, ...logged]
    },
    async close() {
      agent.destroy()
      const most = mostMemory(server)
      const isGone = server.exitCode !== null
      const ended = new Promise((resolve) => server.once('exit', resolve))
      server.kill()
      if (!isGone) await ended
      return [
        ...(isGone ? [{ what: 'the server has ended', detail: `exit code ${server.exitCode}` }] : []),
        ...(most > MOST_MEMORY ? [{ what: 'memory of the server', detail: `${most} bytes` }] : []),
      ]
    },
  }
}

type Asked = { readonly path: string; readonly method: string; readonly type: string; readonly body: string }
type Answer = { readonly status: number; readonly text: string }

function send({ port, agent }: { port: number; agent: Agent }, { path, method, type, body }: Asked): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = { ...(type === '' ? {} : { 'content-type': type }), 'content-length': Buffer.byteLength(body) }
    const options = {
      host: HOST,
      port,
      agent,
      path: path === '' ? '/' : path,
      method: method === '' ? 'POST' : method,
      headers,
    }
    request({ ...options, timeout: PATIENCE }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
    })
      .on('timeout', () => reject(new Error('no answer')))
      .on('error', reject)
      .end(body)
  })
}

async function reviewProblems(ask: (asked: Asked) => Promise<Answer>, input: Input): Promise<readonly Problem[]> {
  const asked = {
    path: textAt(input, 'path'),
    method: textAt(input, 'method'),
    type: textAt(input, 'type'),
    body: textAt(input, 'body'),
  }
  const { status, text } = await ask(asked)
  if (!ANSWERS.includes(status)) return [{ what: `status ${status}`, detail: text }]
  const answer: unknown = JSON.parse(text)
  if (status !== 200)
    return isObject(answer) && answer.message !== '' ? [] : [{ what: 'an error without a message', detail: text }]
  const review: unknown = JSON.parse(asked.body)
  const sent = isObject(review) ? review.request : undefined
  const response = isObject(answer) ? answer.response : undefined
  if (!isObject(sent) || !isObject(response) || response.uid !== sent.uid || typeof response.allowed !== 'boolean')
    return [{ what: 'not the response to the review', detail: text }]
  if (response.allowed === false && asked.path !== '/validate' && !asked.path.startsWith('/validate?'))
    return [{ what: 'only /validate denies', detail: text }]
  if (typeof response.patch !== 'string') return []
  const patch: Operation[] = JSON.parse(Buffer.from(response.patch, 'base64').toString())
  const object = fastJsonPatch.applyPatch(structuredClone(sent.object), patch, true).newDocument
  const body = JSON.stringify({ ...Object(review), request: { ...sent, object } })
  const again = await ask({ ...asked, body })
  return again.status === 200 && !again.text.includes('"patch"')
    ? []
    : [{ what: 'a patch changes what is patched', detail: again.text }]
}

/** A connection that sends anything ends, and any answer is one of HTTP. */
function rawProblems(port: number, raw: string): Promise<readonly Problem[]> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect({ host: HOST, port, rejectUnauthorized: false }, () => socket.end(raw))
    socket.setTimeout(PATIENCE, () => socket.destroy(new Error('the connection stays open')))
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      got += chunk
    })
    let problem: Problem | undefined
    socket.on('error', (error) => {
      if (error.message === 'the connection stays open') problem = { what: error.message, detail: got }
    })
    socket.on('close', () => {
      const status = /^HTTP\/1\.1 (\d{3})/.exec(got)?.[1]
      const isKnown = got === '' || (status !== undefined && [100, ...ANSWERS].includes(Number(status)))
      if (!isKnown) problem = { what: `status ${status} of broken HTTP`, detail: got.slice(0, 500) }
      resolve(problem ? [problem] : [])
    })
  })
}

/** Milliseconds that a process has used of processors; 0 where the system does not tell. */
function processorTime({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return 0
  const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? []
  const TICK = 10
  return (Number(fields[11]) + Number(fields[12])) * TICK
}

/** The most bytes that a process has had in memory; 0 where the system does not tell. */
function mostMemory({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/status`
  const kilobytes = existsSync(path) ? /^VmHWM:\s*(\d+)/m.exec(readFileSync(path, 'utf8'))?.[1] : undefined
  return Number(kilobytes ?? 0) * 1024
}
