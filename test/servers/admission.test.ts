/**
 * The webhook by transcripts: `POST /validate`, `/mutate` and `/observe` with one object, which is new, or with the old and
 * the new one. The header `operation: DELETE` makes the one object the old one; other headers are members of the review.
 * With a `content-type` the body is sent as it is. `PUT /world` sets the objects around, without which nothing is known;
 * `PUT /project` sets `settings`, `admission`, `notSynced`, and `namespaces`: when all of them were created, or `absent` or
 * `unknown`. A patch is shown as it is, and `ALL-RULES` stands for the ids of all rules. `GET /metrics/NAME` has the metrics
 * whose names begin so, since the last `PUT`.
 */
import request from 'supertest'
import { RULES } from '../../rules/index.ts'
import { isObject } from '../../src/json/member.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import type { Lookup } from '../../src/world/lookup.ts'
import { valuesIn } from '../patches.ts'
import { withCreationOfNamespaces, worldOfObjects } from '../subjects.ts'
import { describeTranscripts } from '../support/transcripts.ts'
import { createWebhook, reviewOf, type Wishes } from './reviews.ts'
import { playRequests } from './transcripts.ts'

const objectsIn = (text: string) => valuesIn(text).filter(isObject)

/** The request of a review about objects. */
function requestOf(text: string, { operation, ...members }: Readonly<Record<string, string>>) {
  const [first = null, second] = objectsIn(text)
  const whole = Object.fromEntries(Object.entries(members).map(([name, value]) => [MEMBERS[name] ?? name, value]))
  const about = { ...whole, ...(members['dry-run'] ? { dryRun: true } : {}) }
  if (operation === 'DELETE') return { ...about, operation, object: null, oldObject: first }
  if (operation !== undefined) return { ...about, operation, object: first, oldObject: second ?? first }
  return second ? { ...about, operation: 'UPDATE', oldObject: first, object: second } : { ...about, object: first }
}

const MEMBERS: Readonly<Record<string, string>> = { 'sub-resource': 'subResource', 'dry-run': 'dryRun' }

const decoded = (patch: string | undefined) =>
  patch === undefined ? {} : { patch: JSON.parse(Buffer.from(patch, 'base64').toString()) }

const creationOf = (words: unknown): Lookup<number> =>
  words === 'absent' || words === 'unknown' ? { state: words } : { state: 'found', value: Date.parse(String(words)) }

const answer = (status: number, body: unknown) => ({
  status,
  headers: { 'content-type': 'application/json' },
  text: '',
  body,
})

describeTranscripts(
  new URL('../fixtures/http/admission/', import.meta.url),
  playRequests(() => {
    let world: ReturnType<typeof worldOfObjects> | undefined
    let project: Readonly<Record<string, unknown>> = {}
    let webhook = createWebhook()

    function begin(): void {
      const { settings = {}, namespaces, ...rest } = project
      const seen = world && namespaces ? withCreationOfNamespaces(world, creationOf(namespaces)) : world
      const wishes: Wishes = { ...rest, settings: { ...DEFAULT_SETTINGS, ...Object(settings) } }
      webhook = createWebhook(seen ? { ...wishes, world: seen } : wishes)
    }

    return {
      paths: {},
      async send(method, path, text, headers) {
        if (method === 'put') {
          if (path === '/world') world = worldOfObjects(...objectsIn(text))
          else project = objectsIn(text)[0] ?? {}
          begin()
          return { ...answer(204, {}), headers: {} }
        }
        const [, metric] = path.split('/metrics/')
        if (metric !== undefined) {
          const lines = (await webhook.metrics.metrics()).split('\n').filter((line) => line.startsWith(metric))
          return { status: 200, headers: {}, text: lines.join('\n'), body: {} }
        }
        const body = text.replaceAll('ALL-RULES', RULES.map(({ id }) => id).join(', '))
        if (headers['content-type'] !== undefined) return await request(webhook.app).post(path).set(headers).send(body)
        const {
          uid: _,
          patch,
          patchType: __,
          ...response
        } = await webhook.ask(path, reviewOf(requestOf(body, headers)))
        return answer(200, { ...response, ...decoded(patch) })
      },
    }
  }),
)
