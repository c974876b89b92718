/**
 * The webhook by transcripts: `POST /validate`, `/mutate` and `/observe` with one object, which is new, or with the old and
 * the new one. The header `operation: DELETE` makes the one object the old one; other headers are members of the review.
 * `PUT /world` sets the objects around, without which nothing is known; `PUT /project` sets `settings`, `admission` and
 * `notSynced`. A patch is shown as it is.
 */
import { isObject } from '../../src/json/member.ts'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import { valuesIn } from '../patches.ts'
import { worldOfObjects } from '../subjects.ts'
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

describeTranscripts(
  new URL('../fixtures/http/admission/', import.meta.url),
  playRequests(() => {
    let wishes: Wishes = {}
    return {
      paths: {},
      async send(_, path, body, headers) {
        const silent = { status: 204, headers: {}, text: '', body: {} }
        if (path === '/world') {
          wishes = { ...wishes, world: worldOfObjects(...objectsIn(body)) }
          return silent
        }
        if (path === '/project') {
          const [{ settings = {}, ...rest } = {}] = objectsIn(body)
          wishes = { ...wishes, ...rest, settings: { ...DEFAULT_SETTINGS, ...Object(settings) } }
          return silent
        }
        if (path !== '/validate' && path !== '/mutate' && path !== '/observe') throw new Error(`nobody serves ${path}`)
        const {
          uid: _uid,
          patch,
          patchType: _type,
          ...response
        } = await createWebhook(wishes).ask(path, reviewOf(requestOf(body, headers)))
        return {
          status: 200,
          headers: { 'content-type': 'application/json' },
          text: '',
          body: { ...response, ...decoded(patch) },
        }
      },
    }
  }),
)
