/** The body of an API proxy with rate limit policies, read once into a view that all rules share. */
import {
  asBoolean,
  asList,
  asNumber,
  asObject,
  asString,
  isObject,
  type Json,
  type JsonObject,
  type Member,
  memberOrNull,
} from '../json/member.ts'
import { parseRate, type Rate } from '../limits/rate.ts'
import { parseMegabytes, type Size } from '../limits/size.ts'
import { cachedByLatest } from '../world/cache.ts'
import type { ObjectView } from '../world/objects.ts'
import { ACTION, type Field, type Fields, LIMIT, type METADATA, type THROTTLE } from './fields.ts'

/** What a limit can count by. */
export const LIMIT_KEYS = LIMIT.rateLimitBy.enum
/** A value of `rateLimitBy`. */
export type LimitKey = (typeof LIMIT_KEYS)[number]

/** What applies where a policy does not say it. */
export const DEFAULTS = {
  returnCode: ACTION.returnCode.default,
  grpcStatusCode: ACTION.grpcStatusCode.default,
  rate: LIMIT.rate.default,
  rateLimitBy: LIMIT.rateLimitBy.default,
  zoneSize: LIMIT.zoneSize.default,
} as const

type ValueOf<One extends Field> = One extends { readonly type: 'integer' }
  ? number
  : One extends { readonly type: 'boolean' }
    ? boolean
    : One extends { readonly type: 'string' }
      ? string
      : One extends { readonly type: 'list' }
        ? readonly Json[]
        : JsonObject

/** A member for each declared field. */
type MembersOf<All extends Fields> = { readonly [Name in keyof All]: Member<ValueOf<All[Name]>> }

/** What happens to requests above the rate: one `throttle` object, of a limit or of a whole action. */
export type ThrottleView = MembersOf<typeof THROTTLE>

/** One entry of `action.limits`, with the throttle that applies to it. */
export type LimitView = ThrottleView &
  Omit<MembersOf<typeof LIMIT>, 'rate' | 'rateLimitBy' | 'zoneSize'> & {
    readonly pointer: string
    /** Zero-based position in its policy. */
    readonly index: number
    readonly raw: Json
    readonly rate: Member<Rate>
    readonly rateLimitBy: Member<LimitKey>
    readonly zoneSize: Member<Size>
  }

/** One entry of `rate-limit`. */
export type PolicyView = MembersOf<typeof METADATA> &
  Omit<MembersOf<typeof ACTION>, 'limits' | 'throttle'> & {
    readonly pointer: string
    /** Zero-based position in `rate-limit`. */
    readonly index: number
    readonly action: Member<JsonObject>
    readonly limitList: Member<readonly Json[]>
    readonly limits: readonly LimitView[]
    /** Where a throttle does not belong, and applies all the same to every limit that has none. */
    readonly sharedThrottle: Member<JsonObject>
    /** Every throttle that is written, each once. */
    readonly throttles: readonly ThrottleView[]
  }

/** The policies of a body in one of the two places where they may be. */
export type PolicySet = {
  /** `/policies` or `/proxyConfig/policies`. */
  readonly pointer: string
  readonly raw: Json
  readonly rateLimit: Member<readonly Json[]>
  readonly policies: readonly PolicyView[]
  /** The names of the correlation header that policies of another kind set. */
  readonly correlationHeaders: readonly Member<string>[]
  /** True where some policy authenticates clients. */
  readonly authenticates: boolean
}

/** A body as read. */
export type ProxyView = ObjectView & { readonly sets: readonly PolicySet[] }

/** The places of `policies`, by the pointer of what holds them. */
const HOLDERS = ['', '/proxyConfig'] as const

/** Reads a body, once for all that ask about the same one; never throws. Nothing says in which workspace a proxy is. */
export const readProxy = cachedByLatest((object: JsonObject): ProxyView => {
  const name = asString(object.name ?? null)
  return {
    object,
    identity: { kind: 'Proxy', namespace: undefined, name: name || undefined },
    sets: HOLDERS.flatMap((base) => {
      const holder = base === '' ? object : object.proxyConfig
      const policies = memberOrNull(holder, base, 'policies', asObject)
      return policies.value ? [readSet(policies.value, policies.pointer)] : []
    }),
  }
})

function readSet(raw: JsonObject, pointer: string): PolicySet {
  const rateLimit = memberOrNull(raw, pointer, 'rate-limit', asList)
  const headers = memberOrNull(raw, pointer, 'request-correlation-id', asList)
  return {
    pointer,
    raw,
    rateLimit,
    policies: itemsOf(rateLimit, readPolicy),
    correlationHeaders: itemsOf(headers, (entry, at) =>
      memberOrNull(asObject(entry)?.action, `${at}/action`, 'httpHeaderName', asString),
    ).filter(({ raw: name }) => name !== undefined),
    authenticates: Object.keys(raw).some(isAuthentication),
  }
}

/** True for the name of a policy that authenticates clients: `apikey-authn`, `basic-authn`, `jwt-assertion`, `oauth2-introspection`, `oidc`. */
export const isAuthentication = (name: string): boolean => AUTHENTICATION.test(name)
const AUTHENTICATION = /auth|api-?key|jwt|oidc|openid|introspection|assertion|mtls|client-cert/i

/** The items of a list with their pointers. */
const itemsOf = <View>(
  { value = [], pointer }: Member<readonly Json[]>,
  read: (item: Json, pointer: string, index: number) => View,
): readonly View[] => value.map((item, index) => read(item, `${pointer}/${index}`, index))

function readPolicy(raw: Json, pointer: string, index: number): PolicyView {
  const metadata = memberOrNull(raw, pointer, 'systemMetadata', asObject)
  const action = memberOrNull(raw, pointer, 'action', asObject)
  const at = action.pointer
  const limitList = memberOrNull(action.value, at, 'limits', asList)
  const sharedThrottle = memberOrNull(action.value, at, 'throttle', asObject)
  const shared = sharedThrottle.value && readThrottle(sharedThrottle)
  const limits = itemsOf(limitList, (item, place, position) => readLimit(item, place, position, shared))
  return {
    pointer,
    index,
    appliedOn: memberOrNull(metadata.value, metadata.pointer, 'appliedOn', asString),
    context: memberOrNull(metadata.value, metadata.pointer, 'context', asString),
    action,
    returnCode: memberOrNull(action.value, at, 'returnCode', asNumber),
    grpcStatusCode: memberOrNull(action.value, at, 'grpcStatusCode', asNumber),
    dryRun: memberOrNull(action.value, at, 'dryRun', asBoolean),
    rateLimitHeaders: memberOrNull(action.value, at, 'rateLimitHeaders', asBoolean),
    limitList,
    limits,
    sharedThrottle,
    throttles: [...limits.filter(({ throttle }) => throttle.value), ...(shared ? [shared] : [])],
  }
}

function readLimit(raw: Json, pointer: string, index: number, shared: ThrottleView | undefined): LimitView {
  const throttle = memberOrNull(raw, pointer, 'throttle', asObject)
  return {
    pointer,
    index,
    raw,
    rate: memberOrNull(raw, pointer, 'rate', (rate) => {
      const read = typeof rate === 'string' ? parseRate(rate) : undefined
      return read?.unit === 's' ? read : undefined
    }),
    rateLimitBy: memberOrNull(raw, pointer, 'rateLimitBy', (by) => LIMIT_KEYS.find((known) => known === by)),
    zoneSize: memberOrNull(raw, pointer, 'zoneSize', (size) =>
      typeof size === 'string' ? parseMegabytes(size) : undefined,
    ),
    throttle,
    ...(throttle.raw === undefined && shared ? shared : readThrottle(throttle)),
  }
}

function readThrottle({ raw, value, pointer }: Member<JsonObject>): ThrottleView {
  // Nothing is known of a throttle that is no object: then no member of it is absent.
  const unreadable = raw !== undefined && !isObject(raw) ? { raw, value: undefined } : {}
  return {
    burst: { ...memberOrNull(value, pointer, 'burst', asNumber), ...unreadable },
    delay: memberOrNull(value, pointer, 'delay', asNumber),
    noDelay: memberOrNull(value, pointer, 'noDelay', asBoolean),
  }
}
