/** Policies to ask an API server about, and what the webhook would say of each with the rules that CEL can say. */
import fc from 'fast-check'
import jsonPatch from 'fast-json-patch'
import { RULES } from '../../rules/index.ts'
import { createReviewer } from '../../src/admission/reviewer.ts'
import { decide } from '../../src/admission/verdict.ts'
import type { DescribedFinding } from '../../src/engine/finding.ts'
import { admissionPolicies } from '../../src/installation/admission-policies.ts'
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { valueAt } from '../../src/json/pointer.ts'
import { isSameValue } from '../../src/json/same.ts'
import { SYSTEMS } from '../../src/registry.ts'
import { DEFAULT_PROJECT, DEFAULT_SETTINGS, type Settings } from '../../src/settings/settings.ts'
import { type Fixture, ONLY_RULE, readFixtures } from '../fixtures.ts'
import { countOf, SEED } from '../nginx/counts.ts'
import { policiesFor } from '../nginx/policy-grammar.ts'
import { policyOf, versionsFor } from '../nginx/policy-pairs.ts'
import { type Draft, mutatedPolicy } from '../rules/policies.ts'
import { subjectsIn, unknownWorld } from '../subjects.ts'
import { withMetadata } from './policy-requests.ts'

/** The groups of the policies: that of NGINX Gateway Fabric, and that of a distribution whose CRD accepts everything. */
export const VENDORS = ['nginx', 'lax'] as const
/** One of {@link VENDORS}. */
export type Vendor = (typeof VENDORS)[number]

/** Settings for the policies of a vendor. */
export const settingsOf = (settings: Settings, vendor: Vendor): Settings => ({
  ...settings,
  apiGroups: { ...settings.apiGroups, vendor },
})

/** One policy of a fixture, as it is written and as it was, in a namespace of its settings. */
export type Case = {
  readonly title: string
  readonly settings: Settings
  readonly space: string
  readonly object: JsonObject
  readonly oldObject: JsonObject | undefined
}

/** The settings of fixtures that lead to different policies, each with a namespace. */
export const spaces = new Map<string, { readonly space: string; readonly settings: Settings }>()

function spaceOf(settings: Settings): string {
  const key = JSON.stringify(admissionPolicies({ ...DEFAULT_PROJECT, settings }).objects)
  const { space } = spaces.get(key) ?? { space: `space-${spaces.size}` }
  if (!spaces.has(key)) spaces.set(key, { space, settings })
  return space
}

/** The policies of a fixture. Names are made unique, except where the name is what is judged. */
function casesOf({ rule, name, namespace: hint, text, previous, options }: Fixture, number: number): readonly Case[] {
  const source = (content: string) => ({ file: name, text: content, ...(hint ? { namespace: hint } : {}) })
  const before = previous === undefined ? [] : [source(previous)]
  const space = spaceOf(options.settings)
  return subjectsIn([source(text)], { ...options, previous: before }).flatMap((subject, index): readonly Case[] => {
    const { kind, object, previous: old } = subject
    if (kind !== 'RateLimitPolicy' || !object) return []
    const place = { namespace: space, ...(rule === 'gateway/name' ? {} : { name: `case-${number}-${index}` }) }
    return [
      {
        title: `${rule} ${name} ${index}`,
        settings: options.settings,
        space,
        object: withMetadata(object, place),
        oldObject: old && withMetadata(old.object, place),
      },
    ]
  })
}

/** Which modules nginx is built with is no question here. */
const NGINX = { path: 'nginx', version: '1.31.3', built: '' }

/** Nothing is generated where one rule is tested. */
const sampleOf = <Value>(arbitrary: fc.Arbitrary<Value>): readonly Value[] =>
  ONLY_RULE !== undefined ? [] : fc.sample(arbitrary, { numRuns: countOf('SLUICE_CASES', 100), seed: SEED })

/** Two versions whose limits and targets are those of one policy and of another, in any order. */
const versionsMoved = fc.tuple(policiesFor(NGINX), policiesFor(NGINX)).chain(([one, two]) => {
  const lists = ['/spec/targetRefs', '/spec/rateLimit/local/rules'].map((pointer) => {
    const items = [one, two].flatMap((policy) => valueAt(policy, pointer) ?? [])
    return fc.tuple(fc.constant(pointer), fc.shuffledSubarray(items), fc.shuffledSubarray(items))
  })
  return fc.tuple(...lists).map((both): readonly [Draft, Draft] => {
    const [old, now] = [structuredClone(one), structuredClone(one)]
    for (const [pointer, before, after] of both) {
      replaceAt(old, pointer, before)
      replaceAt(now, pointer, after)
    }
    return [old, now]
  })
})

/** Replaces what is at a pointer, if there is anything. */
function replaceAt(root: Draft, pointer: string, value: unknown): void {
  if (valueAt(root, pointer) !== undefined) jsonPatch.applyOperation(root, { op: 'replace', path: pointer, value })
}

/** Policies, and pairs of versions of one, with something odd or wrong in every field; of any shape, in the end. */
const GENERATED: readonly (readonly [title: string, now: Draft, old?: Draft])[] = [
  ...sampleOf(policiesFor(NGINX)).map((now) => ['policy', now] as const),
  ...sampleOf(fc.tuple(policiesFor(NGINX), policiesFor(NGINX))).map(([old, now]) => ['pair', now, old] as const),
  ...sampleOf(versionsFor(NGINX)).map(([old, now]) => ['versions', policyOf('p', now), policyOf('p', old)] as const),
  ...sampleOf(versionsMoved).map(([old, now]) => ['moved', now, old] as const),
  ...sampleOf(mutatedPolicy).map((now) => ['mutated', now] as const),
  ...sampleOf(fc.tuple(mutatedPolicy, mutatedPolicy)).map(([old, now]) => ['mutated pair', now, old] as const),
]

/** Characters of two versions. In longer ones an exported policy says that keys changed, whatever was done to their list. */
const MOST_COMPARED = 5_000

/** All fixtures, and what is generated. */
export const CASES: readonly Case[] = [
  ...readFixtures()
    .filter(({ rule, name }) => rule.startsWith('gateway/') && !name.startsWith('previous'))
    .flatMap(casesOf),
  ...GENERATED.flatMap(([title, now, old], index) => {
    const space = spaceOf(DEFAULT_SETTINGS)
    const place = { namespace: space, name: `random-${index}` }
    // CEL counts code points where messages are cut, and the API server reads no lone surrogate.
    if (
      !isObject(now) ||
      (old !== undefined && !isObject(old)) ||
      /[\uD800-\uDFFF]|\\ud[89a-f]/.test(JSON.stringify([now, old])) ||
      (old !== undefined && JSON.stringify([now, old]).length > MOST_COMPARED)
    )
      return []
    return [
      {
        title: `${title} ${index}`,
        settings: DEFAULT_SETTINGS,
        space,
        object: withMetadata(now, place),
        oldObject: old && withMetadata(old, place),
      },
    ]
  }),
]

/** The vendor whose CRD accepts everything. */
export const LAX: Vendor = 'lax'

/** A policy in the group of a vendor. */
export const ofVendor = (object: JsonObject, vendor: Vendor): JsonObject =>
  object.apiVersion === 'gateway.nginx.org/v1alpha1'
    ? { ...object, apiVersion: `gateway.${vendor}.org/v1alpha1` }
    : object

/** The API server drops members that are null and that the schema knows, before it asks anybody. */
const withoutNulls = (object: JsonObject): JsonObject =>
  JSON.parse(JSON.stringify(object, (_, value) => (value === null ? undefined : value)))

/** What the webhook says with the rules, and the messages, that the policies have. */
export function expectedOf({ object, oldObject, settings, space }: Case, vendor: Vendor) {
  const own = settingsOf(settings, vendor)
  const { carried } = admissionPolicies({ ...DEFAULT_PROJECT, settings: own })
  const rules = RULES.filter(({ id }) => carried.some(({ rule }) => rule === id))
  const reviewer = createReviewer({ ...DEFAULT_PROJECT, settings: own }, { rules, systems: SYSTEMS })
  const { name } = isObject(object.metadata) ? object.metadata : {}
  const stored = (one: JsonObject) => ofVendor(vendor === LAX ? one : withoutNulls(one), vendor)
  const review = {
    uid: '1',
    operation: oldObject ? ('UPDATE' as const) : ('CREATE' as const),
    namespace: space,
    name: String(name),
    subResource: '',
    dryRun: true,
    object: stored(object),
    oldObject: oldObject && stored(oldObject),
  }
  const { denials, warnings } = decide(review, reviewer, { world: unknownWorld(), synced: true, notSynced: [] }, 0)
  const isCarried = ({ rule, severity }: DescribedFinding): boolean =>
    severity !== 'error' && carried.some((one) => one.rule === rule && one.severity === severity)
  return { denials, warnings: warnings.filter(isCarried) }
}

/** Fields that nobody knows are dropped before anybody is asked. */
export const isPruned = (object: JsonObject): boolean => {
  const reviewer = createReviewer(DEFAULT_PROJECT, { rules: RULES, systems: SYSTEMS })
  const judged = reviewer.read(object, undefined)
  if (!judged) return false
  return reviewer.judge(judged, unknownWorld()).findings.some(({ rule }) => rule === 'gateway/unknown-field')
}

/** Neither the webhook nor the policies are asked about an update that changes nothing. */
export const isAsked = ({ object, oldObject }: Case): boolean =>
  oldObject === undefined || !isSameValue(object.spec, oldObject.spec)
