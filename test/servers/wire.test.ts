/** What arrives at the port, however broken it is: a clear response or a closed connection, and the server goes on. Bodies: `test/fixtures/http/admission/`. */
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
  it('that begins with a byte order mark gets a 400', async () => {
    const got = await send(`\uFEFF${GOOD}`)
    expect(got).toMatchObject({ status: 400, body: { kind: 'Status', code: 400 } })
    expect(got.body.message).toContain('the body is not valid JSON')
  })

  it.each([
    ['no content type', GOOD, {}],
    ['a compression', gzipSync(Buffer.alloc(50_000_000)), { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('with %s gets a 415', async (_, body, headers) =>
    expect(await send(body, { headers })).toMatchObject({ status: 415, body: { kind: 'Status' } }),
  )

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
    ...{ headersTimeout: 100, requestTimeout: 200, keepAliveTimeout: 1000 },
    ...{ idleTimeout: 300, connectionsCheckingInterval: 50 },
  }

  /** What a connection gets until it is closed, of a server that reads bodies. */
  async function received(sent: string): Promise<string> {
    const server = createTlsServer(
      (request, response) => void request.resume().on('end', () => response.end()),
      await served.issue(),
      timeouts,
    )
    const port = await listen(server, { host: HOST, port: 0 })
    const socket = connect({ host: HOST, port, servername: 'localhost', ca: served.authority }).on('error', () => {})
    socket.write(sent)
    const text = await new Promise<string>((resolve) => {
      const chunks: Buffer[] = []
      socket.on('data', (chunk) => chunks.push(chunk)).on('close', () => resolve(Buffer.concat(chunks).toString()))
    })
    await close(server, { idle: 0, grace: 0 })
    return text
  }

  it('that sends too slowly is cut off', async () => {
    const slow = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 500\r\n\r\n{'
    expect(await received(slow)).toMatch(/^HTTP\/1.1 408 /)
  })

  it('that sends nothing after its handshake is closed', async () =>
    expect(await received('')).toMatch(/^(?:HTTP\/1.1 408 |$)/))
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
