/** Reviews, over a socket of this machine, by the webhook within this thread: so that its time can be measured. */
import { createServer, request } from 'node:http'
import { HttpError } from '../../src/http/http-error.ts'
import { IGNORE_ANNOTATION } from '../../src/kubernetes/api-groups.ts'
import { readReview } from '../../src/servers/admission/review.ts'
import { createWebhook, reviewOf } from '../../test/servers/reviews.ts'
import { LIMIT, many, numbered, policy, route, target } from './objects.ts'
import type { Shape } from './shape.ts'

const WRONG_LIMIT = { key: 5, rate: 'x', zoneSize: 'y', z: 1 }
const wrongLimits = (size: number) => policy({ limits: many(size, () => WRONG_LIMIT) })
const wrongRates = (size: number) =>
  policy({ limits: many(size, (index) => ({ ...LIMIT, rate: `${index % 1000}R/S` })) })
const unknownFields = (size: number) => policy({ more: numbered(size, 1) })
const limits = (size: number) => policy({ limits: many(size, (index) => ({ ...LIMIT, rate: `${index % 1000}r/s` })) })
const routeOf = (size: number, more: object = {}) =>
  route(
    many(size, (index) => ({ name: `gw${index}` })),
    many(size, (index) => `a.h${index}.example.com`),
    [{ matches: many(size, (index) => ({ path: { type: 'RegularExpression', value: `/(a+)+${index}` } })), ...more }],
  )

/** Findings of rules that an annotation names among very many. */
const ignoring = (size: number) => ({
  ...limits(size),
  metadata: {
    ...{ name: 'coffee', namespace: 'shop' },
    annotations: { [IGNORE_ANNOTATION]: `${many(size, (index) => `gateway/r${index}`).join(', ')} -- meant` },
  },
})

type Path = '/validate' | '/mutate' | '/observe'
type Review = (size: number) => Readonly<Record<string, unknown>>

const created =
  (object: (size: number) => object): Review =>
  (size) => ({ object: object(size) })
const updated =
  (object: (size: number) => object, before = object): Review =>
  (size) => ({ operation: 'UPDATE', object: object(size), oldObject: { ...before(size), status: {} } })

const REVIEWS: Readonly<Record<string, readonly [Path, Review]>> = {
  'a new policy with unknown fields': ['/validate', created(unknownFields)],
  'a new policy with unknown fields of a limit': [
    '/validate',
    created((size) => policy({ limits: [{ ...LIMIT, ...numbered(size, 1) }] })),
  ],
  'a new policy with wrong limits': ['/validate', created(wrongLimits)],
  'a new policy with wrong rates': ['/validate', created(wrongRates)],
  'a new policy with limits': ['/validate', created(limits)],
  'a new policy with targets': [
    '/validate',
    created((size) => policy({ targets: many(size, (index) => target(`r${index}`)) })),
  ],
  'a new policy that ignores rules': ['/validate', created(ignoring)],
  'a changed policy with unknown fields': ['/validate', updated(unknownFields)],
  'a changed policy with wrong limits': ['/validate', updated(wrongLimits)],
  'a changed policy with wrong rates': ['/validate', updated(wrongRates)],
  'a changed policy that was right before': ['/validate', updated(wrongLimits, limits)],
  'a changed policy with limits': ['/validate', updated(limits)],
  'a changed policy with finalizers': [
    '/validate',
    updated((size) => ({
      ...wrongLimits(1),
      metadata: { name: 'coffee', namespace: 'shop', finalizers: many(size, (index) => `a/f${index}`) },
    })),
  ],
  'a patch of unknown fields': ['/mutate', created(unknownFields)],
  'a patch of wrong limits': ['/mutate', created(wrongLimits)],
  'a patch of wrong rates': ['/mutate', created(wrongRates)],
  'a patch of a changed policy': ['/mutate', updated(wrongRates, limits)],
  'a changed route': ['/observe', updated(routeOf, (size) => routeOf(size, { name: 'x' }))],
}

/** The shapes of reviews, until they are closed. */
export async function openReviewShapes(): Promise<{
  readonly shapes: Readonly<Record<string, Shape>>
  close(): void
}> {
  const server = createServer(createWebhook().app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the webhook does not listen')
  const { port } = address
  const shapes = Object.entries(REVIEWS).map(([name, [path, review]]): [string, Shape] => [
    name,
    (size) => {
      const body = JSON.stringify(reviewOf(review(size)))
      return isRead(body) ? () => send(port, path, body) : undefined
    },
  ])
  return {
    shapes: Object.fromEntries(shapes),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** False for a body with more values than the webhook reads. */
function isRead(body: string): boolean {
  try {
    readReview(Buffer.from(body))
    return true
  } catch (error) {
    if (error instanceof HttpError && error.status === 413) return false
    throw error
  }
}

/** Sends a body. Rejects where the answer is no review. */
const send = (port: number, path: Path, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request({ host: '127.0.0.1', port, path, method: 'POST', headers }, (response) => {
      if (response.statusCode === 200) response.resume().once('end', resolve)
      else reject(new Error(`${path} answers ${response.statusCode}`))
    })
    sent.once('error', reject).end(body)
  })
