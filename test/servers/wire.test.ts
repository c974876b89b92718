/** What arrives at the port, however broken it is: a clear response or a closed connection, and the server goes on. */
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

const GOOD = JSON.stringify(reviewOf({ object: policyOf() }))
const stillAnswers = async () => expect((await send(GOOD)).body.response).toMatchObject({ allowed: true })

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

  it.each(['{"a":', '['])('nested very deeply with %s does no harm', async (open) => {
    const shut = open === '[' ? ']' : '}'
    const deep = `${open.repeat(200_000)}1${shut.repeat(200_000)}`
    const body = GOOD.replace('"spec":{', `"spec":{"deep":${deep},`)
    for (const path of ['/validate', '/mutate', '/observe'])
      expect([200, 400, 413]).toContain((await send(body, { path })).status)
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
})

it('is counted', async () => {
  await send(GOOD)
  await send('{')
  const text = await (await fetch(`http://${HOST}:${serving.healthPort}/metrics`)).text()
  expect(text).toContain('sluice_admission_reviews_total{path="/validate",operation="CREATE",outcome="allowed"}')
  expect(text).toMatch(/sluice_certificate_expiry_timestamp_seconds 1\d{9}\n/)
  expect(text).toMatch(/sluice_admission_request_errors_total\{code="400"\} \d+\n/)
  expect(text).toContain('sluice_watches_synced 1\n')
})
