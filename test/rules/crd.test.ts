/** The CRD's schema and the rules agree: each constraint of the schema has exactly one rule that reports it. */
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { errorsOf } from '../../src/gateway/schema/validate.mjs'
import { lint } from '../../src/lint/lint.ts'
import { placeholderOf } from '../../src/text/placeholder.ts'
import { casesOf } from '../support/cases.ts'
import { holdsFor } from '../support/holds.ts'
import { type Draft, goodPolicy, mutatedPolicy, withValueAt } from './policies.ts'

const { cases } = casesOf(import.meta.url)

const LIMIT = '/spec/rateLimit/local/rules/*'

/** Every constraint of the CRD's `spec`, and the rule that reports it. */
const SPEAKERS: Readonly<Record<string, string>> = cases('SPEAKERS')

type Node = {
  readonly type: string
  readonly format?: string
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Node>>
  readonly items?: Node
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly 'x-kubernetes-validations'?: readonly { readonly message: string }[]
}
type Crd = { readonly spec: { readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Node } }[] } }

const root = new URL('../../', import.meta.url)
const crd = load(readFileSync(new URL('schemas/ratelimitpolicy.crd.yaml', root), 'utf8')) as Crd
const published = crd.spec.versions[0]?.schema.openAPIV3Schema.properties?.spec as Node

/** One constraint, and changes of a good policy that it rejects. */
type Constraint = { readonly name: string; readonly refused: readonly Draft[] }

const TYPED: Readonly<Record<string, readonly Draft[]>> = cases('TYPED')
const othersThan = (type: string): readonly Draft[] =>
  Object.entries(TYPED).flatMap(([other, values]) => (other === type ? [] : values))

/** Texts that one pattern or another rejects. */
const TEXTS = ['', '10 r/s', '1_000r/s', '10r/h', '-1m', '12345k', '{$uri}', 'a;b', '$', '$-', 'a\nb']

/** Values that a keyword of a schema rejects. */
const REFUSED_BY: Readonly<Record<string, (node: Node) => readonly Draft[]>> = {
  type: ({ type }) => othersThan(type),
  fraction: ({ type }) => (type === 'integer' ? [450.5] : []),
  int32: ({ format }) => (format === 'int32' ? [2 ** 31, -(2 ** 31) - 1, 1e300] : []),
  minimum: ({ minimum }) => (minimum === undefined ? [] : [minimum - 1, -(2 ** 31)]),
  maximum: ({ maximum }) => (maximum === undefined ? [] : [maximum + 1, 2 ** 31 - 1]),
  enum: (node) => (node.enum ? ['', 'nonsense', ...node.enum.map((word) => `${word} `)] : []),
  pattern: ({ pattern }) => (pattern ? TEXTS.filter((text) => !new RegExp(pattern).test(text)) : []),
  minLength: ({ minLength }) => (minLength ? [''] : []),
  maxLength: ({ maxLength }) => (maxLength ? ['x'.repeat(maxLength + 1)] : []),
  minItems: ({ minItems }) => (minItems ? [[]] : []),
  maxItems: ({ maxItems }) => (maxItems ? [manyTargets(maxItems + 1)] : []),
}

function* constraintsOf(node: Node, at: string, isRequired: boolean): Generator<Constraint> {
  const pointer = at.replaceAll('*', '0')
  const good = goodPolicy()
  const put = (value: Draft | undefined) => withValueAt(good, pointer, value)
  if (isRequired) yield { name: `${at} required`, refused: [put(undefined), put(null)] }
  if (node.properties) yield { name: `${at} fields`, refused: [withValueAt(good, `${pointer}/nonsense`, 1)] }
  for (const [keyword, valuesOf] of Object.entries(REFUSED_BY)) {
    const refused = valuesOf(node).map(put)
    if (refused.length > 0) yield { name: `${at} ${keyword}`, refused }
  }
  for (const { message } of node['x-kubernetes-validations'] ?? [])
    yield { name: `${at} ${message}`, refused: CROSS_FIELD[message] ?? [] }
  if (node.items) yield* constraintsOf(node.items, `${at}/*`, false)
  for (const [name, property] of Object.entries(node.properties ?? {}))
    yield* constraintsOf(property, `${at}/${name}`, node.required?.includes(name) ?? false)
}

const target = (kind: string, name: string): Draft => ({ group: 'gateway.networking.k8s.io', kind, name })
const manyTargets = (count: number): Draft => Array.from({ length: count }, (_, i) => target('HTTPRoute', `route-${i}`))
const withTargets = (...targets: Draft[]) => withValueAt(goodPolicy(), '/spec/targetRefs', targets)
const withLimit = (limit: { [member: string]: Draft }) =>
  withValueAt(goodPolicy(), LIMIT.replace('*', '0'), { key: '$uri', rate: '10r/s', zoneSize: '1m', ...limit })

const CROSS_FIELD: Readonly<Record<string, readonly Draft[]>> = {
  'every target may be named once only, by its kind and name': [
    withTargets(target('HTTPRoute', 'tea'), target('HTTPRoute', 'coffee'), target('HTTPRoute', 'tea')),
  ],
  'a Gateway cannot be targeted together with an HTTPRoute or a GRPCRoute': [
    withTargets(target('Gateway', 'shop'), target('HTTPRoute', 'tea')),
    withTargets(target('GRPCRoute', 'tea'), target('Gateway', 'shop')),
  ],
  'delay and noDelay exclude each other': [
    withLimit({ burst: 5, delay: 3, noDelay: true }),
    withLimit({ delay: 0, noDelay: true }),
  ],
}

const errorsIn = (policy: Draft) =>
  lint([{ file: 'policy.json', text: JSON.stringify(policy) }]).report.findings.filter(
    ({ severity }) => severity === 'error',
  )

const constraints = [...constraintsOf(published, '/spec', true)]

it('knows every constraint of the CRD', () =>
  expect(constraints.map(({ name }) => name).sort()).toEqual(Object.keys(SPEAKERS).sort()))

describe.each(constraints)('$name', ({ name, refused }) =>
  it('is reported by exactly one rule, with one finding', () => {
    expect(refused.length).toBeGreaterThan(0)
    for (const policy of refused)
      expect(
        errorsIn(policy).map(({ rule }) => rule),
        JSON.stringify(policy),
      ).toEqual([SPEAKERS[name]])
  }),
)

/** Rules that check what the CRD checks and no more. */
const MIRRORS = new Set(Object.values(SPEAKERS))

/** What only the CRD's CEL expressions see; the compiled schema does not. */
const CROSS_FIELD_RULES = ['gateway/duplicate-target', 'gateway/mixed-target-kinds', 'gateway/delay-and-no-delay']

const isAccepted = (policy: Draft) => errorsOf(policy).length === 0
/** Changed so much that it is no RateLimitPolicy of ours, an object is not judged. */
const isOurs = (policy: Draft) => errorsIn(withValueAt(policy, '/nonsense', 1)).length > 0

/** What the schema accepts, every field at its bounds and beyond what is sensible. */
const acceptedLimit = fc.record(
  {
    rate: fc.stringMatching(/^\d{1,30}r\/[sm]$/),
    key: fc.stringMatching(/^(?:[^ \t\r\n;{}#$]|\$\w){1,20}$/),
    zoneSize: fc.oneof(fc.stringMatching(/^\d{1,4}(k|m|g)?$/), fc.constant(null)),
    burst: fc.constantFrom(0, 1, 2 ** 31 - 1, null),
    delay: fc.constantFrom(0, 1, 2 ** 31 - 1, null),
    noDelay: fc.constantFrom(false, null),
  },
  { requiredKeys: ['rate', 'key'] },
)

describe('whatever the schema accepts', () => {
  it('gets no error from a rule that mirrors it', () =>
    holdsFor(200)(fc.array(acceptedLimit, { maxLength: 3 }), (limits) => {
      const policy = withValueAt(goodPolicy(), '/spec/rateLimit/local/rules', limits)
      expect(errorsOf(policy)).toEqual([])
      expect(errorsIn(policy).filter(({ rule }) => MIRRORS.has(rule))).toEqual([])
    }))

  it('gets none after arbitrary changes either, and whatever it rejects gets one', () =>
    holdsFor(500)(mutatedPolicy, (policy) => {
      // What is filled in later (a string such as __proto__) is not judged.
      fc.pre(placeholderOf(policy) === undefined)
      const mirrored = errorsIn(policy).filter(({ rule }) => MIRRORS.has(rule) && !CROSS_FIELD_RULES.includes(rule))
      if (isAccepted(policy)) expect(mirrored).toEqual([])
      else if (isOurs(policy)) expect(errorsIn(policy)).not.toEqual([])
    }))
})
