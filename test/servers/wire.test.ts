/** What arrives at the port, however broken it is: a clear response or a closed connection, and the server goes on. */
import { request as plainRequest } from 'node:http'
import { Agent } from 'node:https'
import { connect } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { close, createTlsServer, listen } from '../../src/http/listen.ts'
import type { ServingAdmission } from '../../src/servers/admission/serve.ts'
import { policyOf, reviewOf } from './reviews.ts'
import { HOST, JSON_TYPE, type Sent, type Served, startServed } from './served.ts'

let served: Served
let serving: ServingAdmission

beforeAll(async () => {
  served = await startServed()
  serving = served.serving
})

afterAll(() => serving.stop({ drain: 0, grace: 100 }))

const send = (body: string | Buffer, sent?: Sent) => served.send(body, sent)
const secure = () => connect({ host: HOST, port: serving.port, servername: 'localhost', ca: served.authority })

const GOOD = JSON.stringify(reviewOf({ object: policyOf() }))
const stillAnswers = async () => expect((await send(GOOD)).body.response).toMatchObject({ allowed: true })

const padded = (bytes: number) => {
  const object = policyOf({ metadata: { annotations: { padding: '' } } })
  const room = bytes - JSON.stringify(reviewOf({ object })).length
  return JSON.stringify(reviewOf({ object: policyOf({ metadata: { annotations: { padding: 'x'.repeat(room) } } }) }))
}
const LIMIT = 7 * 1024 * 1024

describe('a body', () => {
  const review = reviewOf({ object: policyOf() })
  const without = (member: string) => {
    const { [member]: _, ...rest } = review.request as Record<string, unknown>
    return JSON.stringify({ ...review, request: rest })
  }

  it.each([
    ['is empty', '', 'the body is not valid JSON'],
    ['is not valid JSON', '{', 'the body is not valid JSON'],
    ['is a list', '[]', 'the body must be a JSON object'],
    ['is null', 'null', 'the body must be a JSON object'],
    ['is no review', '{}', 'expected "AdmissionReview" of "admission.k8s.io/v1"'],
    [
      'is of an old version',
      JSON.stringify({ ...review, apiVersion: 'admission.k8s.io/v1beta1' }),
      'admission.k8s.io/v1beta1',
    ],
    ['is of another kind', JSON.stringify({ ...review, kind: 'Review' }), '"Review"'],
    ['has no request', JSON.stringify({ ...review, request: null }), 'request is missing'],
    ['has no uid', without('uid'), 'request.uid is missing'],
    ['has no operation', without('operation'), 'request.operation is missing'],
    ['has no object', without('object'), 'request.object must be an object'],
    ['has an object that is null', JSON.stringify(reviewOf({ object: null })), 'request.object must be an object'],
    ['has an object that is a scalar', JSON.stringify(reviewOf({ object: 5 })), 'request.object must be an object'],
    ['begins with a byte order mark', `\uFEFF${GOOD}`, 'the body is not valid JSON'],
  ])('that %s gets a 400', async (_, body, message) => {
    const got = await send(body)
    expect(got).toMatchObject({ status: 400, body: { kind: 'Status', code: 400 } })
    expect(got.body.message).toContain(message)
  })

  it.each([
    ['a wrong content type', GOOD, { 'content-type': 'text/plain' }],
    ['no content type', GOOD, {}],
    ['a compression', gzipSync(Buffer.alloc(50_000_000)), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('with %s gets a 415', async (_, body, headers) => {
    expect(await send(body, { headers })).toMatchObject({ status: 415, body: { kind: 'Status' } })
  })

  it('of 7 MiB is judged, and a byte more gets a 413', async () => {
    expect((await send(padded(LIMIT))).body.response).toMatchObject({ allowed: true })
    expect(await send(padded(LIMIT + 1))).toMatchObject({ status: 413 })
  })

  it('that has no end is cut off', async () => {
    const sending = new Promise<void>((resolve) => {
      const socket = secure()
      const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`
      socket.write(
        'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n',
      )
      const more = () => void (socket.writable && socket.write(chunk, more))
      socket
        .on('error', () => {})
        .on('close', () => resolve())
        .resume()
      more()
    })
    await sending
    await stillAnswers()
  })

  it.each(['{"a":', '['])('nested very deeply with %s does no harm', async (open) => {
    const shut = open === '[' ? ']' : '}'
    const deep = `${open.repeat(200_000)}1${shut.repeat(200_000)}`
    const body = GOOD.replace('"spec":{', `"spec":{"deep":${deep},`)
    for (const path of ['/validate', '/mutate', '/observe'])
      expect([200, 400, 413]).toContain((await send(body, { path })).status)
    await stillAnswers()
  })
})

describe('a request', () => {
  it('of another method gets a 405, for another path a 404', async () => {
    expect(await send('', { method: 'GET' })).toMatchObject({ status: 405, body: { kind: 'Status' } })
    expect(await send(GOOD, { path: '/' })).toMatchObject({ status: 404, body: { kind: 'Status' } })
    expect(await send(GOOD, { path: '/%' })).toMatchObject({ status: 404 })
    expect(await send(GOOD, { path: '/validate/' })).toMatchObject({ status: 404 })
  })

  it('gets its response whatever the query says, as the API server appends its timeout', async () => {
    expect(await send(GOOD, { path: '/validate?timeout=10s' })).toMatchObject({ status: 200 })
    expect(await send(GOOD, { path: '/validate?timeout=5s' })).toMatchObject({ status: 200 })
  })

  it('without TLS gets its connection closed', async () => {
    const failed = new Promise((resolve) => {
      plainRequest({ host: HOST, port: serving.port }).on('error', resolve).end()
    })
    expect(await failed).toMatchObject({ code: 'ECONNRESET' })
    await stillAnswers()
  })

  it.each([
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['nonsense', '\u0000\u0001nonsense\r\n\r\n'],
  ])('that begins with %s gets its connection closed', async (_, bytes) => {
    const closed = new Promise<void>((resolve) => {
      const socket = secure()
      socket
        .on('error', () => {})
        .on('close', () => resolve())
        .resume()
      socket.write(bytes)
    })
    await closed
    await stillAnswers()
  })

  it('of a client that leaves half-way is forgotten', async () => {
    for (const leave of ['end', 'destroy'] as const) {
      const socket = secure()
      socket.on('error', () => {})
      await new Promise((resolve) => socket.once('secureConnect', resolve))
      socket.write(
        'POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{',
      )
      socket[leave]()
    }
    await stillAnswers()
  })
})

describe('a connection', () => {
  const timeouts = {
    headersTimeout: 100,
    requestTimeout: 200,
    keepAliveTimeout: 1000,
    idleTimeout: 300,
    connectionsCheckingInterval: 50,
  }

  it('that sends too slowly is cut off', async () => {
    const server = createTlsServer(
      (request, response) => void request.resume().on('end', () => response.end()),
      await served.issue(),
      timeouts,
    )
    const port = await listen(server, { host: HOST, port: 0 })
    const answer = new Promise<string>((resolve) => {
      const socket = connect({ host: HOST, port, servername: 'localhost', ca: served.authority })
      let text = ''
      socket
        .on('data', (chunk) => {
          text += chunk
        })
        .on('close', () => resolve(text))
        .on('error', () => {})
      socket.write('POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 500\r\n\r\n{')
    })
    expect(await answer).toMatch(/^HTTP\/1.1 408 /)
    await close(server, { idle: 0, grace: 0 })
  })

  it('that sends nothing after its handshake is closed', async () => {
    const server = createTlsServer(() => {}, await served.issue(), timeouts)
    const port = await listen(server, { host: HOST, port: 0 })
    await new Promise<void>((resolve) => {
      const socket = connect({ host: HOST, port, servername: 'localhost', ca: served.authority })
      socket
        .on('close', () => resolve())
        .on('error', () => {})
        .resume()
    })
    await close(server, { idle: 0, grace: 0 })
  })

  it('stays open when the certificate changes, and new ones get the new certificate', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const errors: unknown[] = []
    const load = async (rounds: number) => {
      for (let round = 0; round < rounds; round++) await send(GOOD, { agent }).catch((error) => errors.push(error))
    }
    const serials = async () =>
      await new Promise((resolve) => {
        const socket = connect(
          { host: HOST, port: serving.port, servername: 'localhost', ca: served.authority },
          () => {
            resolve(socket.getPeerCertificate().serialNumber)
            socket.end()
          },
        )
      })
    const before = await serials()
    const running = load(50)
    serving.useCertificate(await served.issue())
    await running
    expect(await serials()).not.toBe(before)
    expect(errors).toEqual([])
    agent.destroy()
  })
})

describe('the health port', () => {
  const get = async (path: string) => {
    const response = await fetch(`http://${HOST}:${serving.healthPort}${path}`)
    return { status: response.status, text: await response.text() }
  }

  it('reports that the server is alive and ready, and its metrics', async () => {
    expect(await get('/healthz')).toEqual({ status: 200, text: 'ok\n' })
    expect(await get('/readyz')).toEqual({ status: 200, text: 'ok\n' })
    const { text } = await get('/metrics')
    expect(text).toContain('sluice_admission_reviews_total{path="/validate",operation="CREATE",outcome="allowed"}')
    expect(text).toMatch(/sluice_certificate_expiry_timestamp_seconds 1\d{9}\n/)
    expect(text).toMatch(/sluice_admission_request_errors_total\{code="413"\} \d+\n/)
    expect(text).toContain('sluice_watches_synced 1\n')
  })

  it('reports why it is not ready', async () => {
    served.setNotReady('waiting')
    expect(await get('/readyz')).toEqual({ status: 503, text: 'waiting\n' })
    served.setNotReady(undefined)
  })
})

describe('an end', () => {
  it('first reports "not ready", responds to requests meanwhile, and closes', async () => {
    const another = await startServed()
    const other = another.serving
    const stopped = other.stop({ drain: 1_000, grace: 1000 })
    const health = await fetch(`http://${HOST}:${other.healthPort}/readyz`)
    expect({ status: health.status, text: await health.text() }).toEqual({ status: 503, text: 'shutting down\n' })
    expect((await another.send(GOOD)).status).toBe(200)
    await stopped
    await expect(another.send(GOOD)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})
