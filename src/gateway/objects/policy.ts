/** RateLimitPolicy, read once into a view that all rules share. Source: specification of RateLimitPolicy, "Resources and their fields". */

import {
  asBoolean,
  asList,
  asNumber,
  asObject,
  asString,
  type Json,
  type JsonObject,
  type Member,
  memberReader,
  sharedMemberReader,
} from '../../json/member.ts'
import { type ApiNames, apiNames } from '../../kubernetes/api-groups.ts'
import { type Identity, type MetadataView, readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import { isKey, type KeyPart, keyParts } from '../../limits/key.ts'
import { parseRate, type Rate } from '../../limits/rate.ts'
import { parseSize, type Size } from '../../limits/size.ts'
import { type ParameterProblem, readParameter } from '../../nginx/parameter.ts'
import { LOG_LEVELS, type LogLevel } from '../../nginx/responses.ts'
import { memoise } from '../../text/memo.ts'

/** The kinds that `targetRefs` may name. */
export const TARGET_KINDS = ['Gateway', 'HTTPRoute', 'GRPCRoute'] as const
/** A kind that `targetRefs` may name. */
export type TargetKind = (typeof TARGET_KINDS)[number]
/** The kinds that are routes. */
const ROUTE_KINDS = ['HTTPRoute', 'GRPCRoute'] as const
/** HTTPRoute or GRPCRoute. */
export type RouteKind = (typeof ROUTE_KINDS)[number]

/** True for HTTPRoute and GRPCRoute. */
export const isRouteKind = (kind: string): kind is RouteKind => ROUTE_KINDS.some((known) => known === kind)

/** The settings beside `local`, by which policies conflict. */
export const SHARED_SETTINGS = ['dryRun', 'logLevel', 'rejectCode'] as const
/** One of {@link SHARED_SETTINGS}. */
export type SharedSetting = (typeof SHARED_SETTINGS)[number]

/** One entry of `spec.targetRefs`. */
export type TargetView = {
  readonly pointer: string
  readonly index: number
  readonly raw: Json
  readonly group: Member<string>
  /** The kind as written; `value` is defined only for the kinds that a policy may target. */
  readonly kind: Member<TargetKind>
  readonly name: Member<string>
  /** Not a field of the API, but a common mistake: {@link namesOtherNamespace} decides which rule reports it. */
  readonly namespace: Member<string>
}

/**
 * True where a reference names another namespace than that of the policy, or the namespace of the policy is unknown. A
 * policy cannot reach another namespace; naming its own is merely an unknown field.
 */
export const namesOtherNamespace = ({ namespace }: TargetView, { namespace: own }: Identity): boolean =>
  namespace.value !== undefined && namespace.value !== '' && namespace.value !== own

/** A target with a valid kind and a name. */
export type NamedTarget = { readonly target: TargetView; readonly kind: TargetKind; readonly name: string }

/** A key that the CRD accepts, as nginx would read it. */
export type KeyView = {
  readonly written: string
  /** The value without quotes and escapes; undefined where nginx cannot read the parameter. */
  readonly unquoted: string | undefined
  readonly problem: ParameterProblem | undefined
  /** Empty where there is a problem, and for an empty key. */
  readonly parts: readonly KeyPart[]
}

/** One entry of `spec.rateLimit.local.rules`: the specification's rule, here called a limit. */
export type LimitView = {
  readonly pointer: string
  /** Zero-based position, which names the zone. */
  readonly index: number
  readonly raw: Json
  readonly zoneSize: Member<Size>
  readonly key: Member<KeyView>
  readonly rate: Member<Rate>
  readonly burst: Member<number>
  readonly delay: Member<number>
  readonly noDelay: Member<boolean>
}

/** A RateLimitPolicy as read. */
export type PolicyView = {
  readonly object: JsonObject
  /** The API groups that the policy and its targets must have. */
  readonly names: ApiNames
  readonly identity: Identity
  readonly metadata: MetadataView
  readonly apiVersion: Member<string>
  /** As written: it may be misspelt. */
  readonly kind: Member<string>
  readonly spec: Member<JsonObject>
  readonly targetRefs: Member<readonly Json[]>
  readonly targets: readonly TargetView[]
  /** The targets in the namespace of the policy, each once: those that can be looked up. */
  readonly namedTargets: readonly NamedTarget[]
  readonly rateLimit: Member<JsonObject>
  readonly dryRun: Member<boolean>
  readonly logLevel: Member<LogLevel>
  readonly rejectCode: Member<number>
  readonly local: Member<JsonObject>
  readonly rules: Member<readonly Json[]>
  readonly limits: readonly LimitView[]
}

/** A limit and the policy that it comes from. */
export type PlacedLimit = { readonly policy: PolicyView; readonly limit: LimitView }

const readApiVersion = sharedMemberReader('', 'apiVersion', asString)
const readKind = sharedMemberReader('', 'kind', asString)
const readSpec = memberReader('', 'spec', asObject)
const readTargetRefs = memberReader('/spec', 'targetRefs', asList)
const readRateLimit = memberReader('/spec', 'rateLimit', asObject)
const readLocal = memberReader('/spec/rateLimit', 'local', asObject)
const readRules = memberReader('/spec/rateLimit/local', 'rules', asList)
const readDryRun = sharedMemberReader('/spec/rateLimit', 'dryRun', asBoolean)
const readLogLevel = sharedMemberReader('/spec/rateLimit', 'logLevel', (raw) =>
  LOG_LEVELS.find((level) => level === raw),
)
const readRejectCode = sharedMemberReader('/spec/rateLimit', 'rejectCode', asNumber)

const DEFAULT_NAMES = apiNames()

/**
 * Reads a RateLimitPolicy; never throws. `namespace` comes from its context and overrides that of the manifest; `names`
 * are the API groups of the cluster.
 */
export function readPolicy(object: JsonObject, namespace?: string, names: ApiNames = DEFAULT_NAMES): PolicyView {
  const metadata = readMetadata(object)
  const spec = readSpec(object)
  const targetRefs = readTargetRefs(spec.value)
  const rateLimit = readRateLimit(spec.value)
  const local = readLocal(rateLimit.value)
  const rules = readRules(local.value)
  const identity = readIdentity('RateLimitPolicy', metadata, namespace)
  const targets = (targetRefs.value ?? []).map(readTarget)
  return {
    object,
    names,
    identity,
    metadata,
    apiVersion: readApiVersion(object),
    kind: readKind(object),
    spec,
    targetRefs,
    targets,
    namedTargets: nameTargets(targets, identity),
    rateLimit,
    dryRun: readDryRun(rateLimit.value),
    logLevel: readLogLevel(rateLimit.value),
    rejectCode: readRejectCode(rateLimit.value),
    local,
    rules,
    limits: (rules.value ?? []).map(readLimit),
  }
}

/** Readers for the items of a list, made once for each index: they share what they read (see {@link sharedMemberReader}). */
function itemReaders<Readers>(make: (index: number) => Readers): (index: number) => Readers {
  const known: Readers[] = []
  return (index) => {
    const readers = known[index] ?? make(index)
    if (index < 64) known[index] = readers
    return readers
  }
}

const targetReaders = itemReaders((index) => {
  const pointer = `/spec/targetRefs/${index}`
  return {
    pointer,
    group: sharedMemberReader(pointer, 'group', asString),
    /** Names differ from policy to policy. */
    name: memberReader(pointer, 'name', asString),
    kind: sharedMemberReader(pointer, 'kind', (kind) => TARGET_KINDS.find((known) => known === kind)),
    namespace: sharedMemberReader(pointer, 'namespace', asString),
  }
})

function readTarget(raw: Json, index: number): TargetView {
  const { pointer, group, kind, name, namespace } = targetReaders(index)
  return { pointer, index, raw, group: group(raw), kind: kind(raw), name: name(raw), namespace: namespace(raw) }
}

function nameTargets(targets: readonly TargetView[], identity: Identity): readonly NamedTarget[] {
  const named: NamedTarget[] = []
  for (const target of targets) {
    const kind = target.kind.value
    const name = target.name.value
    if (kind === undefined || !name || namesOtherNamespace(target, identity)) continue
    if (!named.some((other) => other.kind === kind && other.name === name)) named.push({ target, kind, name })
  }
  // A list that grew has room for 17 items, and thousands of policies stay in memory: the copy has none.
  return named.slice()
}

const limitReaders = itemReaders((index) => {
  const pointer = `/spec/rateLimit/local/rules/${index}`
  return {
    pointer,
    zoneSize: sharedMemberReader(pointer, 'zoneSize', asSize),
    key: sharedMemberReader(pointer, 'key', asKey),
    rate: sharedMemberReader(pointer, 'rate', asRate),
    burst: sharedMemberReader(pointer, 'burst', asNumber),
    delay: sharedMemberReader(pointer, 'delay', asNumber),
    noDelay: sharedMemberReader(pointer, 'noDelay', asBoolean),
  }
})

function readLimit(raw: Json, index: number): LimitView {
  const { pointer, zoneSize, key, rate, burst, delay, noDelay } = limitReaders(index)
  return {
    pointer,
    index,
    raw,
    zoneSize: zoneSize(raw),
    key: key(raw),
    rate: rate(raw),
    burst: burst(raw),
    delay: delay(raw),
    noDelay: noDelay(raw),
  }
}

/** Reads a string with a cached parser; undefined for other values. */
const fromString = <Value>(read: (text: string) => Value | undefined) => {
  const remembered = memoise(read)
  return (raw: Json): Value | undefined => (typeof raw === 'string' ? remembered(raw) : undefined)
}

const asSize = fromString(parseSize)
const asRate = fromString(parseRate)

const asKey = fromString((text): KeyView | undefined => {
  if (!isKey(text)) return undefined
  const read = readParameter(text)
  if (!read.ok) return { written: text, unquoted: undefined, problem: read.problem, parts: [] }
  return { written: text, unquoted: read.value, problem: undefined, parts: keyParts(read.value) }
})
