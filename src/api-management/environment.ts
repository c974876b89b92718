/**
 * What an environment does to one of its proxies: the limits, codes and headers of both together, as they are rendered; what one
 * of them says in vain beside the other; and what a change of the environment makes different.
 */
import type { JsonObject } from '../json/member.ts'
import { makesIdle } from '../nginx/bucket.ts'
import { HTTP_HEADER_NAME } from './fields.ts'
import { CONSUMER, type MappedLimit } from './mapping.ts'
import { DEFAULTS } from './proxy.ts'
import { globalCorrelationHeader, planOf } from './render/plan.ts'
import { codesOf, limitsOf } from './render/render.ts'

/** What is stored of an environment, as far as its proxies depend on it. */
type EnvironmentForm = {
  /** True where the gateway of this server serves it. */
  readonly isServed: boolean
  /** Its global policies. */
  readonly policies: JsonObject
}

/** What an environment and a proxy both say, and only one of them has its way. */
export type Override = {
  readonly wins: 'environment' | 'proxy'
  /** JSON Pointer into the stored form of the proxy. */
  readonly pointer: string
  /** JSON Pointer into the environment. */
  readonly environmentPointer: string
  readonly message: string
}

/** What a change of its environment makes different for a proxy. */
export type Effect = {
  /** Sentences without a full stop at the end. */
  readonly changes: readonly string[]
  /** True where its requests are not answered as before, but not at all. */
  readonly isBroken: boolean
}

/** What global policies override in a stored proxy, and what it overrides of them. */
export function overridesOf(body: JsonObject, policies: JsonObject): readonly Override[] {
  if (Object.keys(policies).length === 0) return []
  const { own, global, codes, header } = together(body, policies)
  const idle = own.flatMap((limit): readonly Override[] => {
    const first = global.find(({ key, limit: outer }) => key === limit.key && makesIdle(outer, limit.limit))
    if (!first) return []
    const message = `the limit ${words(limit)} of the proxy has no effect: the global limit ${words(first)} is reached first`
    return [{ wins: 'environment', ...pointers(limit.limit, first.limit), message }]
  })
  const [firstOwn] = own
  const policiesInVain = new Map(global.map(({ policy }) => [policy.index, policy]))
  const inVain = [...policiesInVain.values()].flatMap((policy): readonly Override[] => {
    const { http } = codesOf(global.filter((one) => one.policy === policy))
    if (!firstOwn || http === codes.http) return []
    const message = `what a global limit rejects is answered with the ${codes.http} of the proxy, not with ${http}`
    return [{ wins: 'proxy', ...pointers(firstOwn.policy.returnCode, policy.returnCode), message }]
  })
  const named = globalCorrelationHeader(policies)
  const isRenamed = named !== undefined && header.isOwn && named.toLowerCase() !== header.name.toLowerCase()
  if (!isRenamed) return [...idle, ...inVain]
  const message = `the header of the correlation id is the ${header.name} of the proxy, not ${named}`
  const [pointer, environmentPointer] = [`${OWN}/${CORRELATION}`, `/policies/${CORRELATION}`]
  return [...idle, ...inVain, { wins: 'proxy', pointer, environmentPointer, message }]
}

/** A change of an environment. */
export type EnvironmentChange = {
  readonly before: EnvironmentForm
  readonly after: EnvironmentForm
  /** Why the proxy cannot be published, undefined where it can. */
  readonly problem?: string | undefined
  /** Why nginx refuses the global policies after it, undefined where it does not. */
  readonly refusal?: string | undefined
}

/** What becomes of a stored proxy where its environment changes. */
export function effectOf(body: JsonObject, { before, after, problem, refusal }: EnvironmentChange): Effect {
  const [old, now] = [together(body, before.policies), together(body, after.policies)]
  const isStopped = before.isServed && !after.isServed
  const isFailing = !before.isServed && after.isServed && problem !== undefined
  const isRefused = after.isServed && refusal !== undefined
  const [had, has] = [old.global.map(words), now.global.map(words)]
  const isLimited = old.limits.length > 0 && now.limits.length > 0
  // The form that nginx accepted last stays.
  if (isRefused)
    return { changes: [`nginx refuses the global policies of its environment: ${refusal}`], isBroken: true }
  const changes = [
    ...(isStopped ? ['no gateway of this server serves it any longer: its requests get 404'] : []),
    ...(isFailing ? [`it cannot be published: ${problem.replace(/\.$/, '')}`] : []),
    ...(!before.isServed && after.isServed && !isFailing ? ['the gateway of this server serves it from now on'] : []),
    ...missingIn(has, had).map((limit) => `the global limit ${limit} is gone`),
    ...missingIn(had, has).map((limit) => `the global limit ${limit} applies${ofConsumers(limit, now)}`),
    ...(isLimited && old.codes.http !== now.codes.http
      ? [`a rejected request gets ${now.codes.http} instead of ${old.codes.http}`]
      : []),
    ...(isLimited && now.isGrpc && old.codes.grpc !== now.codes.grpc
      ? [`a rejected gRPC request gets ${now.codes.grpc} instead of ${old.codes.grpc}`]
      : []),
    ...(old.header.name.toLowerCase() === now.header.name.toLowerCase()
      ? []
      : [`the header of the correlation id is ${now.header.name} instead of ${old.header.name}`]),
  ]
  return { changes, isBroken: isStopped || isFailing }
}

const OWN = '/proxyConfig/policies'
const CORRELATION = 'request-correlation-id'

/** The policies of a proxy with those of its environment, in the order in which they are rendered. */
function together(body: JsonObject, policies: JsonObject) {
  const { plan } = planOf(body)
  const [own, global] = [limitsOf(plan.policies, ''), limitsOf(policies, '')]
  const limits = [...own, ...global]
  const isOwn = plan.correlationHeader !== undefined
  const name = plan.correlationHeader ?? globalCorrelationHeader(policies) ?? HTTP_HEADER_NAME.default
  const isGrpc = plan.grpc !== undefined || plan.backends.some(({ protocol }) => protocol === 'grpc')
  return { own, global, limits, codes: codesOf(limits), header: { name, isOwn }, isGrpc, keys: plan.keys }
}

type Placed = { readonly pointer: string }

/** Global policies are read at the same place as those of a proxy. */
const pointers = ({ pointer }: Placed, { pointer: global }: Placed) => ({
  pointer,
  environmentPointer: global.replace(/^\/proxyConfig/, ''),
})

/** A limit as people know it: `5r/s by client.ip (burst=20 nodelay)`. */
const words = ({ rate, limit, size, parameters }: MappedLimit): string => {
  const zone = size.toUpperCase() === DEFAULTS.zoneSize ? [] : [`zoneSize ${size.toUpperCase()}`]
  const more = [...parameters, ...zone]
  const by = limit.rateLimitBy.value ?? DEFAULTS.rateLimitBy
  return `${rate} by ${by}${more.length === 0 ? '' : ` (${more.join(' ')})`}`
}

/** What is in `all` more often than in `those`. */
function missingIn(those: readonly string[], all: readonly string[]): readonly string[] {
  const left = [...those]
  return all.filter((one) => {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
    return index < 0
  })
}

const BY_CONSUMER = / by consumer\b/

/** Nothing of the proxy proves who a consumer is; a certificate, or a program in front of nginx, still may. */
const ofConsumers = (limit: string, { keys, global }: Pick<ReturnType<typeof together>, 'keys' | 'global'>): string =>
  keys === undefined && BY_CONSUMER.test(limit) && global.some(({ key }) => key === CONSUMER)
    ? ', and counts by address whoever has neither a key nor a certificate'
    : ''
