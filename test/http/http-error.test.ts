/** One error, in the two forms in which a server sends it. */
import { createServer, type RequestListener } from 'node:http'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { HttpError, sendProblem, sendStatus, sendText } from '../../src/http/http-error.ts'
import { casesOf } from '../support/cases.ts'

const { cases, each } = casesOf(import.meta.url)

/** What a client gets of a server. */
async function responseOf(listener: RequestListener) {
  const { status, headers, text } = await request(createServer(listener)).get('/').buffer()
  return { status, type: headers['content-type'], connection: headers.connection, body: JSON.parse(text) }
}

describe('problem details (RFC 9457)', () => {
  it('have type, title, status and detail', async () =>
    expect(
      await responseOf((_, response) => sendProblem(response, new HttpError(404, 'no plan "gold"'))),
    ).toMatchObject(cases<object>('have type, title, status and detail')))

  it('have the members of an extension, which replace none of their own', async () => {
    const error = new HttpError(422, 'the plan is not valid', {
      type: '/problems/invalid-plan',
      title: 'Invalid plan',
      extensions: { errors: [{ pointer: '#/rate', detail: 'must be a rate' }], status: 200, detail: 'fine' },
    })
    const { body } = await responseOf((_, response) => sendProblem(response, error))
    expect(body).toEqual(cases('have the members of an extension, which replace none of their own'))
  })
})

describe('a Status of Kubernetes', () => {
  it('has kind, reason and code', async () =>
    expect(await responseOf((_, response) => sendStatus(response, new HttpError(404, 'nothing here')))).toMatchObject(
      cases<object>('has kind, reason and code'),
    ))

  it('has details where the error has them', async () => {
    const details = { kind: 'RateLimitPolicy', name: 'coffee', causes: [{ field: 'spec', message: 'is missing' }] }
    const { body } = await responseOf((_, response) => sendStatus(response, new HttpError(422, 'invalid', { details })))
    expect(body).toMatchObject({ reason: 'Invalid', details, code: 422 })
  })

  each<[number, string]>('of %i has the reason %s', async (code, reason) => {
    const { body } = await responseOf((_, response) => sendStatus(response, new HttpError(code, 'x')))
    expect(body).toMatchObject({ reason, code })
  })
})

describe.each([
  ['problem', sendProblem],
  ['Status', sendStatus],
])('an error sent as %s', (_, send) => {
  it('closes the connection where it has to', async () => {
    const closing = new HttpError(413, 'too large', { closes: true })
    expect(await responseOf((_request, response) => send(response, closing))).toMatchObject({ connection: 'close' })
  })

  it('is not sent into a response that has begun', async () => {
    const { status, body } = await responseOf((_request, response) => {
      sendText(response, 200, '"fine"')
      send(response, new HttpError(500, 'too late'))
    })
    expect({ status, body }).toEqual({ status: 200, body: 'fine' })
  })
})
