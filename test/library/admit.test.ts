/** `admit` answers as the webhook does. */
import { describe, expect, it } from 'vitest'
import { type AdmitResult, admit, type Result } from '../../src/browser.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { apiNames } from '../../src/kubernetes/api-groups.ts'
import type { TextSource } from '../../src/project/source.ts'
import { collectWorlds, worldOf } from '../../src/project/worlds.ts'
import { MENTIONS, SYSTEMS } from '../../src/registry.ts'
import type { Settings } from '../../src/settings/settings.ts'
import { kindTable } from '../../src/world/kinds.ts'
import type { World } from '../../src/world/world.ts'
import { readDocuments } from '../../src/yaml/documents.ts'
import { type Fixture, readFixtures } from '../fixtures.ts'
import { createWebhook, NOW, reviewOf } from '../servers/reviews.ts'
import { casesOf } from '../support/cases.ts'
import { policy, SHOP } from './manifests.ts'

const { cases } = casesOf(import.meta.url)

function answersOf(result: Result<AdmitResult>): AdmitResult['answers'] {
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  return result.value.answers
}

const now = new Date(NOW).toISOString().replace('.000', '')

const metadataOf = ({ metadata }: JsonObject): JsonObject => (isObject(metadata) ? metadata : {})
const isPolicy = (object: JsonObject) =>
  object.kind === 'RateLimitPolicy' && typeof metadataOf(object).name === 'string'
const idOf = (object: JsonObject) => [object.kind, metadataOf(object).namespace, metadataOf(object).name].join('/')

/** The objects of a text, each as a cluster would store it. */
const objectsIn = (text: string, namespace: string): readonly JsonObject[] =>
  readDocuments(text, { mentions: MENTIONS }).flatMap(({ value, problems }) => {
    if (!isObject(value) || problems.length > 0 || value.kind === 'List') return []
    return [{ ...value, metadata: { ...(isObject(value.metadata) ? { namespace, ...value.metadata } : {}) } }]
  })

/** Each policy of a fixture with everything that is beside it, as one cluster. */
function reviewsOf({ text, previous = '', namespace }: Fixture) {
  const fallback = namespace?.fallback ?? 'default'
  const objects = objectsIn(text, fallback)
  const stored = objectsIn(previous, fallback)
  return objects.filter(isPolicy).map((object) => {
    const before = stored.find((one) => idOf(one) === idOf(object))
    const others = objects.filter((one) => idOf(one) !== idOf(object))
    return { object, before, cluster: before ? [...others, before] : others }
  })
}

const ALLOWED = { allowed: true, message: null, causes: [], warnings: [] }

const fixtures = readFixtures().filter(({ rule }) => rule.startsWith('gateway/'))

const admission = { crossObject: 'deny', strict: true } as const
let seen: World
/** A webhook for each settings, which sees the world of whoever asks. */
const webhooks = new Map<Settings, ReturnType<typeof createWebhook>['ask']>()

function askOf(settings: Settings) {
  const ask = webhooks.get(settings) ?? createWebhook({ settings, admission, world: () => seen }).ask
  webhooks.set(settings, ask)
  return ask
}

it.each(fixtures.map((fixture) => ({ title: `${fixture.rule} ${fixture.name}`, fixture })))(
  'the answer is that of the server $title',
  async ({ fixture }) => {
    const { settings } = fixture.options
    for (const { object, before, cluster } of reviewsOf(fixture)) {
      const sources = cluster.map((one) => ({ object: one }))
      const answers = answersOf(admit([{ object }], { cluster: sources, settings, admission, now }))
      const [collected] = collectWorlds(sources, kindTable(SYSTEMS, apiNames(settings.apiGroups))).worlds.values()
      seen = worldOf(SYSTEMS, collected ?? { byKind: new Map(), partial: false }, { closed: true })
      const ask = askOf(settings)
      const review = reviewOf({
        operation: before ? 'UPDATE' : 'CREATE',
        object,
        oldObject: before ?? null,
        namespace: typeof metadataOf(object).namespace === 'string' ? metadataOf(object).namespace : 'default',
        name: metadataOf(object).name,
      })
      const { allowed, status, warnings = [] } = await ask('/validate', review)
      const said = { allowed, message: status?.message ?? null, causes: status?.details?.causes ?? [], warnings }
      // The webhook is not asked about kinds of other API groups, and would allow them.
      expect(answers[0] ?? ALLOWED).toMatchObject(said)
    }
  },
)

describe('admit', () => {
  it('denies in the words of the webhook', () =>
    expect(answersOf(admit([policy('10R/S')], { cluster: [] }))).toMatchObject([
      {
        file: 'policy.yaml',
        kind: 'RateLimitPolicy',
        namespace: 'shop',
        name: 'coffee',
        operation: 'CREATE',
        allowed: false,
        message: expect.stringMatching(
          /^RateLimitPolicy "shop\/coffee" is denied: spec\.rateLimit\.local\.rules\[0\]\.rate: "10R\/S" is not a valid rate/,
        ),
        causes: [{ reason: 'gateway/rate-syntax', field: 'spec.rateLimit.local.rules[0].rate' }],
      },
    ]))

  it('takes an object of the cluster as the version before', () => {
    const changed: TextSource = { ...policy('1r/s'), text: policy('1r/s').text.replace('$binary_remote_addr', '$host') }
    const [answer] = answersOf(admit([changed], { cluster: SHOP }))
    expect(answer).toMatchObject(cases<object>('takes an object of the cluster as the version before'))
    expect(answersOf(admit([changed], { cluster: SHOP.slice(0, 1) }))).toMatchObject([
      { operation: 'CREATE', allowed: true },
    ])
  })

  it('writes the objects one after the other', () => {
    const [shop, coffee] = SHOP
    if (!shop || !coffee) throw new Error('there are no manifests')
    const warningsOf = (sources: readonly TextSource[]) =>
      answersOf(admit(sources, { cluster: [] })).flatMap(({ kind, warnings }) =>
        kind === 'RateLimitPolicy' ? warnings : [],
      )
    expect(warningsOf([shop, coffee])).toEqual([])
    expect(warningsOf([coffee, shop])).toEqual([
      expect.stringMatching(/HTTPRoute.*coffee.*\[gateway\/target-not-found\]/),
    ])
  })

  it('warns where a change of a route affects policies', () => {
    const [shop] = SHOP
    if (!shop) throw new Error('there are no manifests')
    const detached = { ...shop, text: shop.text.replace('{ name: edge }]', '{ name: other }]') }
    const answers = answersOf(admit([detached], { cluster: SHOP }))
    expect(answers.find(({ kind }) => kind === 'HTTPRoute')).toMatchObject({
      operation: 'UPDATE',
      allowed: true,
      warnings: [expect.stringMatching(/RateLimitPolicy "coffee"/)],
    })
  })

  it('allows everything where the settings only warn', () => {
    const [answer] = answersOf(admit([policy('10R/S')], { admission: { enforce: 'warn' } }))
    expect(answer).toMatchObject({
      allowed: true,
      message: null,
      warnings: [expect.stringMatching(/^would be denied/)],
    })
  })

  it('says what is wrong with its arguments', () => {
    const result = admit([], { admission: { enforce: 'ask' } as never, cluster: [{}] as never })
    expect(result.ok ? [] : result.problems.map(({ path }) => path)).toEqual(
      cases('says what is wrong with its arguments'),
    )
  })
})
