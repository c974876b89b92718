/**
 * Every field of the table reaches every surface: the view, the stored form, lint, the OpenAPI document, the API, the page and
 * the rendered configuration, or the table says why not. And its bounds are the same wherever a body is judged.
 */
import { describe, expect, it } from 'vitest'
import { BODY_FIELD, type Field, fieldsWithin, type ValueField } from '../../src/api-management/fields.ts'
import { readProxy } from '../../src/api-management/proxy.ts'
import { planOf, publicationProblems } from '../../src/api-management/render/plan.ts'
import { renderProxies } from '../../src/api-management/render/render.ts'
import { toStoredForm } from '../../src/api-management/stored-form.ts'
import { isObject, type Json, type JsonObject } from '../../src/json/member.ts'
import { parentPointer, pointerTokens, valueAt } from '../../src/json/pointer.ts'
import { REGISTRY } from '../../src/registry.ts'
import { createBodyJudge } from '../../src/servers/api-management/judge.ts'
import { SCHEMAS, type Schema } from '../../src/servers/api-management/openapi/schemas.ts'
import { errorsOf } from '../../src/servers/api-management/openapi/validate.mjs'
import { DEFAULT_SETTINGS } from '../../src/settings/settings.ts'
import {
  correlationHeaderIn,
  policiesOf,
  rateLimitsIn,
  withCorrelationHeader,
  withPolicies,
  withRateLimit,
} from '../../src/studio/management/policies/body.ts'
import { formOf, policyOf } from '../../src/studio/management/policies/form.ts'
import { settingsOf, withSettings } from '../../src/studio/management/proxy/draft.ts'
import { serveTeam, TEAM } from '../servers/api-management/served.ts'
import { siteOf, WHOLE } from './render/hostile-bodies.ts'

const LIMIT = '/proxyConfig/policies/rate-limit/0/action/limits/0'
const whole = (): JsonObject => structuredClone(WHOLE)

/** A copy with another value at a pointer; undefined removes what is there. */
function put(body: JsonObject, pointer: string, value: Json | undefined): JsonObject {
  const copy: JsonObject = structuredClone(body)
  const holder = valueAt(copy, parentPointer(pointer))
  const name = pointerTokens(pointer).at(-1) ?? ''
  if (typeof holder === 'object' && holder !== null) Reflect.set(holder, name, value)
  return JSON.parse(JSON.stringify(copy))
}

/** The whole body, with its first throttle where a pointer looks for it. */
function bodyFor(pointer: string): JsonObject {
  if (!pointer.includes('/action/throttle')) return whole()
  const throttle = jsonAt(WHOLE, `${LIMIT}/throttle`)
  return put(put(whole(), `${LIMIT}/throttle`, undefined), LIMIT.replace('limits/0', 'throttle'), throttle)
}

const jsonAt = (body: JsonObject, pointer: string): Json | undefined => {
  const value = valueAt(body, pointer)
  return isJson(value) ? value : undefined
}
const isJson = (value: unknown): value is Json => value !== undefined

/** A field at its place in the body. Each has one place; the others are in {@link ELSEWHERE}. */
type Placed = { readonly path: string; readonly pointer: string; readonly field: Field }

/** Another place for what is declared already. */
const ELSEWHERE = /^\/policies(?:\/|$)|\/action\/throttle(?:\/|$)/

const everyPath: readonly Placed[] = [...fieldsWithin(BODY_FIELD)].map(({ path, field }) => ({
  path,
  pointer: path.replaceAll('*', '0'),
  field,
}))
const placed = everyPath.filter(({ path }) => !ELSEWHERE.test(path))
/** Each once, as a body has its policies in one place. */
const inOnePlace = everyPath.filter(({ path }) => !/^\/policies(?:\/|$)/.test(path))

const isValue = (field: Field): field is ValueField => !['object', 'list', 'any'].includes(field.type)
const values = placed.flatMap(({ field, ...place }) => (isValue(field) ? [{ ...place, field }] : []))

/** A body with a value, and without what excludes it. */
function withField(pointer: string, value: Json | undefined): JsonObject {
  const body = bodyFor(pointer)
  const isExclusive = pointer.endsWith('/noDelay') && value === true
  return put(isExclusive ? put(body, pointer.replace('noDelay', 'delay'), undefined) : body, pointer, value)
}

/** A good value that is not the one in {@link WHOLE}; undefined, which removes it, where there is only one. */
function otherValue(field: ValueField, pointer: string): Json | undefined {
  if (field.type === 'boolean') return valueAt(WHOLE, pointer) !== true
  const good: readonly Json[] = field.examples
  return good.find((value) => value !== valueAt(WHOLE, pointer))
}

const judge = createBodyJudge({ ...REGISTRY, settings: DEFAULT_SETTINGS })
/** What lint refuses, and what cannot be published. */
const refusals = (body: JsonObject): readonly string[] =>
  [...judge(body).errors, ...publicationProblems(body)].map(({ pointer, message }) => `${pointer}: ${message}`)

const rendered = (body: JsonObject): string =>
  renderProxies(
    { proxies: [{ id: 'p1', workspace: 'team', environment: 'default', revision: 1, body }], environments: [] },
    siteOf('1.31.3'),
  )
    .map(({ name, text }) => `${name}\n${text}`)
    .join('\n')

/** What is read of a body: each member with a value of its own, by its pointer, and what a plan has of the rest. */
function viewOf(body: JsonObject): ReadonlyMap<string, unknown> {
  const { identity, sets } = readProxy(body)
  const { policies: _, ...plan } = planOf(body).plan
  const found = new Map<string, unknown>([['', JSON.stringify([identity, plan])]])
  const collect = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    if ('pointer' in part && 'value' in part && typeof part.pointer === 'string')
      found.set(part.pointer, JSON.stringify(part.value))
    for (const [name, member] of Object.entries(part)) if (name !== 'raw' && name !== 'value') collect(member)
  }
  collect(sets)
  return found
}

/** What the page makes of a body of nothing with what its fields show of another one. */
function throughPage(body: JsonObject): JsonObject {
  const policies = policiesOf(body)
  const header = correlationHeaderIn(policies)
  const made = rateLimitsIn(policies).reduce<JsonObject>((all, policy, index) => {
    const form = formOf(policy, header)
    const stipulations = form.stipulations.map((one) => ({ ...one, origin: {} }))
    return withRateLimit(all, index, policyOf({ ...form, stipulations }, {}).policy)
  }, {})
  return withPolicies(withSettings({}, settingsOf(body)), withCorrelationHeader(made, header))
}

/** The schema of a place in the document. */
function schemaAt(path: string): Schema | undefined {
  const step = (schema: Schema | undefined, part: string): Schema | undefined => {
    const own = resolved(schema)
    return part === '*' ? resolved(own?.items) : (resolved(own?.properties)?.[part] as Schema | undefined)
  }
  return path.split('/').slice(1).reduce(step, SCHEMAS.ProxyBody)
}

function resolved(schema: unknown): Schema | undefined {
  if (!isObject(schema)) return undefined
  const { $ref } = schema
  return typeof $ref === 'string' ? { ...SCHEMAS[$ref.split('/').at(-1) ?? ''], ...schema } : schema
}

const isRefusedByDocument = (body: JsonObject): boolean => errorsOf('ProxyBody', body).length > 0

it('the whole body has every field, and nothing is wrong with it', () => {
  const missing = placed.filter(({ pointer }) => valueAt(WHOLE, pointer) === undefined).map(({ pointer }) => pointer)
  expect(missing, 'not in WHOLE of test/api-management/render/hostile-bodies.cases.yaml').toEqual([])
  expect(refusals(whole())).toEqual([])
})

describe.each(values.map((one) => [one.path, one] as const))('%s', (path, { pointer, field }) => {
  const { without = {} } = field
  const other = otherValue(field, pointer)
  const changed = withField(pointer, other)

  it('is in the view', () => {
    const [before, after] = [viewOf(whole()), viewOf(changed)]
    const isRead =
      before.get('') !== after.get('') || (before.has(pointer) && before.get(pointer) !== after.get(pointer))
    const message = `${path} is read by src/api-management/proxy.ts, or its "without.view" says why not`
    expect(isRead, message).toBe(without.view === undefined)
  })

  it('is in the rendered configuration', () => {
    expect(refusals(changed)).toEqual([])
    const before = put(changed, pointer, jsonAt(WHOLE, pointer))
    const message = `${path} is rendered by src/api-management/render/, or its "without.nginx" says why not`
    expect(rendered(before) !== rendered(changed), message).toBe(without.nginx === undefined)
  })

  it('has its default in the stored form, or else where it is absent', () => {
    const absent = put(whole(), pointer, undefined)
    const { body, filled } = toStoredForm(absent)
    const preset = field.default
    expect(filled).toEqual(field.isStored ? [{ pointer, value: preset }] : [])
    expect(valueAt(body, pointer)).toBe(field.isStored ? preset : undefined)
    if (preset !== undefined) expect(rendered(absent)).toBe(rendered(put(whole(), pointer, preset)))
  })

  it('is on the page', () => {
    const message = `${path} is in src/studio/management/policies/form.ts, or its "without.page" says why not`
    expect(valueAt(throughPage(changed), pointer), message).toBe(without.page === undefined ? other : undefined)
  })
})

describe.each(everyPath.map((one) => [one.path, one] as const))('%s in the OpenAPI document', (path, { field }) => {
  it('has its type, default and meaning', () => {
    const schema = schemaAt(path)
    if (!isInDocument(path)) return expect(schema).toBeUndefined()
    expect(schema?.description).toBe(field.description)
    expect(schema?.deprecated).toBe(field.isDeprecated)
    if (isValue(field)) expect([schema?.type, schema?.default]).toEqual([field.type, field.default])
    if (field.type === 'object') expect(resolved(schema)?.additionalProperties).toBe(field.isClosed ? false : undefined)
  })
})

/** The fields on the way to one, and itself. */
function fieldsOn(path: string): readonly Field[] {
  return everyPath.filter((one) => path === one.path || path.startsWith(`${one.path}/`)).map((one) => one.field)
}

/** False where the document leaves a field out, or what it is in. */
const isInDocument = (path: string): boolean => fieldsOn(path).every(({ without }) => without?.openApi === undefined)

/** A value, and whether the field may have it. */
type Case = { readonly value: Json; readonly isGood: boolean }

const TYPED: readonly (readonly [Field['type'], Json])[] = [
  ['integer', 7],
  ['string', 'text'],
  ['boolean', true],
  ['list', []],
  ['object', {}],
  ['any', null],
]

/** Texts that one pattern or another rejects. */
const TEXTS = ['', ' ', 'a b', 'x_y', '-a', '/', '0r/s', '10r/m', '10 r/s', '1.5r/s', '10', '0M', '10m', '1G', ' 10M']

function casesOf(field: Field): readonly Case[] {
  const { type } = field
  if (type === 'any') return TYPED.map(([, value]) => ({ value, isGood: true }))
  const others = TYPED.flatMap(([other, value]) => (other === type ? [] : [{ value, isGood: false }]))
  if (type === 'object') return others
  if (type === 'list') return field.minItems ? [...others, { value: [], isGood: false }] : others
  if (type === 'boolean') return [...others, { value: true, isGood: true }, { value: false, isGood: true }]
  if (type === 'integer') {
    const { minimum, maximum } = field
    const good = [minimum, maximum, ...field.examples].map((value) => ({ value, isGood: true }))
    return [...others, ...good, ...[minimum - 1, minimum + 0.5, maximum + 1].map((value) => ({ value, isGood: false }))]
  }
  return [...others, ...field.examples.map((value) => ({ value, isGood: true })), ...textsOf(field)]
}

function textsOf({ enum: words, isAnyCase, pattern, maxLength }: Extract<Field, { type: 'string' }>): readonly Case[] {
  const inWords = (words ?? []).flatMap((word) => [
    { value: word, isGood: true },
    { value: `${word} `, isGood: false },
    {
      value: word.replace(/^./, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      ),
      isGood: isAnyCase === true,
    },
  ])
  const matching = pattern === undefined ? undefined : new RegExp(pattern)
  const unlike = matching ? TEXTS.filter((text) => !matching.test(text)).map((value) => ({ value, isGood: false })) : []
  const long = maxLength === undefined ? [] : [{ value: 'a'.repeat(maxLength + 1), isGood: false }]
  return [...inWords, ...unlike, ...long]
}

/** What the API alone has bounds for: elsewhere a name is only a name. */
const OF_API = /^\/(?:name|version|environment)$/

/** Who refuses a body: rules and publication, and the document. */
const refusedBy = (body: JsonObject) => ({ rules: refusals(body).length > 0, document: isRefusedByDocument(body) })

describe('lint, API and document agree', () => {
  it('on every value at the bounds of a field', () => {
    for (const { path, pointer, field } of inOnePlace) {
      for (const { value, isGood } of casesOf(field)) {
        const found = refusedBy(withField(pointer, value))
        const rules = OF_API.test(path) ? found.rules : !isGood
        const message = `a rule in rules/api-management/ refuses what the document refuses (after "npm run build"), and no more`
        expect({ path, value, ...found }, message).toEqual({
          ...{ path, value, rules },
          document: isInDocument(path) && !isGood,
        })
      }
    }
  })

  it('on every field that is not declared', () => {
    for (const { path, pointer, field } of inOnePlace)
      if (field.type === 'object') {
        const isClosed = field.isClosed === true
        const found = refusedBy(put(bodyFor(pointer), `${pointer}/nonsense`, 1))
        expect({ path, ...found }).toEqual({ path, rules: isClosed, document: isClosed })
      }
  })

  it('where a proxy is sent: one good value, one bad one and one undeclared field of each', async () => {
    const { post } = await serveTeam()
    await post('/infrastructure/workspaces/team/environments', { name: 'test' })
    const isAccepted = async (body: JsonObject) => (await post(`${TEAM}?dryRun=true`, body)).status < 400
    for (const { path, pointer, field } of inOnePlace) {
      const cases = casesOf(field)
      for (const { value, isGood } of [cases.find((one) => one.isGood), cases.findLast((one) => !one.isGood)].flatMap(
        (one) => one ?? [],
      ))
        expect([path, value, await isAccepted(withField(pointer, value))]).toEqual([path, value, isGood])
      if (field.type !== 'object') continue
      const body = put(bodyFor(pointer), `${pointer}/nonsense`, 1)
      expect([path, await isAccepted(body)]).toEqual([path, !field.isClosed])
    }
  })
})
