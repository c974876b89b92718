/** No function of the library throws, whatever JSON it gets, and what it was given is never called a fault in sluice. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import * as library from '../../src/browser.ts'
import { composeEdits } from '../../src/yaml/edit/compose.ts'
import { applyEdits } from '../../src/yaml/edit/edit.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor, holdsLaterFor } from '../support/holds.ts'
import { LOG, POD, SHOP } from './manifests.ts'

const functions: Readonly<Record<string, unknown>> = library

const { cases } = casesOf(import.meta.url)

/** How many arguments each function takes. */
const ARGUMENTS = cases<Readonly<Record<string, number>>>('arguments')

const VALUES = new Map<unknown, unknown>([
  ['SHOP', SHOP],
  ['LOG', LOG],
  ['POD', POD],
  ['POLICY', SHOP[1]?.text ?? ''],
])

/** A value of a table, in which names stand for manifests and logs. */
function named(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(named)
  if (typeof value !== 'object' || value === null) return VALUES.get(value) ?? value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, named(one)]))
}

/** Arguments that are right as far as possible, so that more than the first check is tried. */
const RIGHT = Object.entries(cases<Readonly<Record<string, readonly unknown[]>>>('right')).map(
  ([name, right]) => [name, right.map(named)] as const,
)

/** Words with a meaning somewhere. */
const word = fc.constantFrom(...cases<readonly string[]>('words').map((one) => String(named(one))))
const name = fc.constantFrom(...cases<readonly string[]>('names'))
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(word, fc.string(), fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 3 }),
    fc.constantFrom(Object.create(null), ...[0, Number.NaN, 8.64e15, -8.64e15, -6.3e13].map((time) => new Date(time))),
    fc.dictionary(fc.oneof(name, fc.string()), tie('json'), { maxKeys: 4, noNullPrototype: false }),
  ),
}))

/** Members of objects of Kubernetes. */
const member = fc.constantFrom('apiVersion', 'kind', 'metadata', 'spec', 'items')

/** Replaces a value somewhere in a value. */
function replaceIn(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [first, ...rest] = path
  if (first === undefined || typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[first % (keys.length + 1)]
  if (key === undefined) return replacement
  const copy: object = Array.isArray(value) ? [...value] : { ...value }
  Reflect.set(copy, key, replaceIn(Reflect.get(value, key), rest, replacement))
  return copy
}

/** Calls a function of the library as a caller without types can. */
function call(name: string, ...parameters: readonly unknown[]): unknown {
  const run = functions[name]
  if (typeof run !== 'function') throw new Error(`the library has no function ${name}`)
  return run(...parameters)
}

async function expectResult(name: string, parameters: readonly unknown[]): Promise<void> {
  const result = await call(name, ...parameters)
  if (name === 'rules') return
  if (typeof result !== 'object' || result === null || !('ok' in result)) throw new Error(`${name} returned no result`)
  if (result.ok === true) return
  const problems = 'problems' in result && Array.isArray(result.problems) ? result.problems : []
  expect(problems.length).toBeGreaterThan(0)
  for (const problem of problems) {
    expect(problem).toMatchObject({ path: expect.any(String), message: expect.stringMatching(/^.+$/s) })
    expect(problem).not.toHaveProperty('isFault')
  }
}

it('covers every function', () => expect(Object.keys(ARGUMENTS).sort()).toEqual(Object.keys(functions).sort()))

it.each(Object.entries(ARGUMENTS))('%s takes any JSON', (name, length) =>
  holdsLaterFor(300)(fc.array(json, { maxLength: length }), (parameters) => expectResult(name, parameters)),
)

it.each(RIGHT)('%s takes right arguments with any JSON in the place of a part', async (name, right) => {
  await expectResult(name, right)
  await holdsLaterFor(300)(fc.array(fc.nat(20), { minLength: 1, maxLength: 4 }), json, async (path, replacement) => {
    const parameters = replaceIn(right, path, replacement)
    await expectResult(name, Array.isArray(parameters) ? parameters : [parameters])
  })
})

it.each(Object.entries(ARGUMENTS))('%s takes any manifests and settings', async (name, length) => {
  const source = fc.record({ file: word, text: fc.array(word).map((words) => words.join('\n---\n')) })
  const object = fc.record({ object: fc.dictionary(fc.oneof(member, fc.string()), json) })
  const sources = fc.array(fc.oneof(source, object), { maxLength: 3 })
  await holdsLaterFor(200)(sources, json, json, (...parameters) => expectResult(name, parameters.slice(0, length)))
})

it.each([
  ['a function', () => 1],
  ['10', 10n],
  ['Symbol(x)', Symbol('x')],
  ['NaN', Number.NaN],
  ['an instance of Date', new Date(Number.NaN)],
  ['a date outside of the years 0 to 9999', new Date(8.64e15)],
  ['an instance of a class', Object.create(Object.create(Object.create(null)))],
  ['an instance of Map', new Map()],
  ['undefined', [undefined]],
])('an object with %s in it is not JSON, and that is said', (got, value) => {
  const object = { kind: 'RateLimitPolicy', metadata: { name: 'coffee', labels: undefined }, spec: { value } }
  const path = Array.isArray(value) ? 'spec.value[0]' : 'spec.value'
  expect(call('lint', [{ object }])).toEqual({
    ok: false,
    problems: [{ path: `sources[0].object.${path}`, message: `expected a value of JSON, got ${got}` }],
  })
  expect(call('lint', [], { settings: object })).toMatchObject({ problems: [{ path: `settings.${path}` }] })
})

it('times that a client made into dates are read, and its objects stay as they are', () => {
  const policyOf = (name: string, rejectCode: number, created: string) => ({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name, namespace: 'shop', creationTimestamp: new Date(created) },
    spec: {
      targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }],
      rateLimit: { rejectCode, local: { rules: [{ key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m' }] } },
    },
  })
  const younger = policyOf('a', 429, '2026-03-02T10:00:00Z')
  const older = policyOf('b', 503, '2026-03-02T09:00:00Z')
  expect(call('lint', [{ object: younger }, { object: older }])).toMatchObject({
    value: { findings: [{ rule: 'gateway/conflict', object: { name: 'a' } }] },
  })
  expect(younger.metadata.creationTimestamp).toEqual(new Date('2026-03-02T10:00:00Z'))
})

it('an object that contains itself, and a log that is not there, are said', () => {
  const object: Record<string, unknown> = { kind: 'RateLimitPolicy' }
  object.spec = object
  expect(call('lint', [{ object }])).toMatchObject({ problems: [{ message: 'is nested deeper than 100 levels' }] })
  expect(call('simulate', SHOP, { log: undefined })).toEqual(
    cases('an object that contains itself, and a log that is not there, are said'),
  )
})

it('composes edits: those of both rounds at once make the same text', () => {
  const edits = (text: string) =>
    fc
      .array(fc.tuple(fc.nat(text.length), fc.string({ maxLength: 3 })), { maxLength: 6 })
      .map((cuts) => cuts.sort(([a], [b]) => a - b))
      .map((cuts) =>
        cuts.flatMap(([start, inserted], index) => {
          const end = cuts[index + 1]?.[0] ?? text.length
          return index % 2 === 0 ? [{ start, end, text: inserted }] : []
        }),
      )
  const rounds = fc.string({ maxLength: 12 }).chain((text) =>
    edits(text).chain((first) => {
      const between = applyEdits(text, first)
      return edits(between).map((second) => ({ text, first, second, between }))
    }),
  )
  holdsFor(2000)(
    rounds,
    ({ text, first, second, between }) =>
      void expect(applyEdits(text, composeEdits(text.length, first, second))).toBe(applyEdits(between, second)),
  )
})
