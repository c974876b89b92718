/**
 * Whether a namespace has room for the sidecar: what its LimitRanges and ResourceQuotas refuse of a Pod with it, and not of
 * the Pod without it. Source: Kubernetes, admission plugins LimitRanger and ResourceQuota.
 */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { listAt, textAt } from '../../kubernetes/conditions.ts'
import { type Amounts, readAmounts } from '../../kubernetes/quantity.ts'
import { listOf } from './pod.ts'
import { type CountedPod, countPod, isBestEffort, sumOf, totalOf, usageOf, withDefaults } from './resources.ts'

/** The limits of one namespace: objects of Kubernetes. */
export type NamespaceLimits = {
  readonly limitRanges: readonly JsonObject[]
  readonly resourceQuotas: readonly JsonObject[]
}

/** What has no room. */
export type NoRoom = { readonly reason: 'limit-range' | 'resource-quota'; readonly message: string }

/** Says what refuses the specification of a Pod `after` the sidecar was added and not `before`; undefined: nothing. */
export function roomFor(
  { before, after }: { readonly before: JsonObject; readonly after: JsonObject },
  limits: NamespaceLimits,
): NoRoom | undefined {
  if (limits.limitRanges.length + limits.resourceQuotas.length === 0 && !isObject(after.resources)) return undefined
  const [without, withIt] = [countPod(before), countPod(after)]
  // Which of several gives a default first is not known.
  for (const order of ordersOf(limits.limitRanges)) {
    const known = new Set(refusals(without, limits, order).map(({ key }) => key))
    const added = refusals(withIt, limits, order).find(({ key }) => !known.has(key))
    if (added) return { reason: added.reason, message: added.message }
  }
  return undefined
}

function ordersOf(ranges: readonly JsonObject[]): readonly (readonly JsonObject[])[] {
  if (ranges.length < 2) return [ranges]
  return [ranges, [...ranges].reverse()]
}

/** What refuses a Pod; the key is the same for the Pod with and without the sidecar. */
type Refusal = NoRoom & { readonly key: string }

function refusals(
  written: CountedPod,
  { resourceQuotas }: NamespaceLimits,
  ranges: readonly JsonObject[],
): readonly Refusal[] {
  const pod = ranges.reduce((counted, range) => withDefaults(counted, defaultsOf(range)), written)
  return [
    ...ofPod(pod),
    ...ranges.flatMap((range) => ofRange(pod, range)),
    ...resourceQuotas.flatMap((one) => ofQuota(pod, one)),
  ]
}

const limitsOf = ({ spec }: JsonObject): readonly JsonObject[] => listAt(spec, 'limits').filter(isObject)

const nameOf = ({ metadata }: JsonObject): string => textAt(metadata, 'name') ?? ''

/** The defaults of a LimitRange, with those that the API server derives from its bounds. */
function defaultsOf(range: JsonObject) {
  const requests = new Map<string, bigint>()
  const limits = new Map<string, bigint>()
  for (const one of limitsOf(range)) {
    if (one.type !== 'Container') continue
    const ofLimits = new Map([...readAmounts(one.max), ...readAmounts(one.default)])
    const ofRequests = new Map([...readAmounts(one.min), ...ofLimits, ...readAmounts(one.defaultRequest)])
    for (const [name, amount] of ofLimits) limits.set(name, amount)
    for (const [name, amount] of ofRequests) requests.set(name, amount)
  }
  return { requests, limits }
}

/** What the API server refuses of any Pod: defaults may make requests that are above a limit, or above those of the whole Pod. */
function ofPod(pod: CountedPod): readonly Refusal[] {
  const { containers, whole } = pod
  const ofContainers = containers.flatMap(({ name, requests, limits }) => [
    ...above(requests, limits).map((resource) => [`own/${name}`, resource]),
    ...(whole ? above(limits, whole.limits).map((resource) => [`whole/${name}`, resource]) : []),
  ])
  const sums = whole ? above(sumOf(pod, 'requests'), whole.requests).map((resource) => ['whole', resource]) : []
  return [...ofContainers, ...sums].map(([owner, resource]) => ({
    key: `${owner}/${resource}`,
    reason: 'limit-range',
    message: `the defaults of a LimitRange give it ${resource} that the Pod has no room for`,
  }))
}

/** The resources of which there is more than a limit. */
const above = (amounts: Amounts, limits: Amounts): readonly string[] =>
  [...limits].filter(([resource, most]) => (amounts.get(resource) ?? 0n) > most).map(([resource]) => resource)

function ofRange(pod: CountedPod, range: JsonObject): readonly Refusal[] {
  return limitsOf(range).flatMap((limit, index): readonly Refusal[] => {
    const owners =
      limit.type === 'Container'
        ? pod.containers
        : limit.type === 'Pod'
          ? [{ name: '', requests: totalOf(pod, 'requests'), limits: totalOf(pod, 'limits') }]
          : []
    return owners.flatMap(({ name, requests, limits }) =>
      brokenBounds(limit, requests, limits).map(({ bound, resource }) => ({
        key: `range/${nameOf(range)}/${index}/${name}/${bound}/${resource}`,
        reason: 'limit-range' as const,
        message: `LimitRange "${nameOf(range)}" has no room: ${bound} ${resource} of a ${limit.type}`,
      })),
    )
  })
}

type Broken = { readonly bound: 'min' | 'max' | 'maxLimitRequestRatio'; readonly resource: string }

function brokenBounds(
  limit: JsonObject,
  requests: ReadonlyMap<string, bigint>,
  limits: ReadonlyMap<string, bigint>,
): readonly Broken[] {
  const broken = (bound: Broken['bound'], isBroken: (amount: bigint, request?: bigint, most?: bigint) => boolean) =>
    [...readAmounts(limit[bound])]
      .filter(([resource, amount]) => isBroken(amount, requests.get(resource), limits.get(resource)))
      .map(([resource]): Broken => ({ bound, resource }))
  return [
    ...broken('min', (least, request, most) => request === undefined || request < least || (most ?? least) < least),
    ...broken('max', (top, request, most) => most === undefined || most > top || (request ?? top) > top),
    ...broken('maxLimitRequestRatio', (ratio, request, most) => !request || !most || most * UNIT > ratio * request),
  ]
}

/** Of amounts, which are in billionths. */
const UNIT = 1_000_000_000n

/** Every container has to name these where a quota counts them. */
const DEMANDED = /^(?:requests\.|limits\.)?(?:cpu|memory)$/

function ofQuota(pod: CountedPod, quota: JsonObject): readonly Refusal[] {
  if (!isInScope(pod, quota)) return []
  const status = isObject(quota.status) ? quota.status : {}
  const spec = isObject(quota.spec) ? quota.spec : {}
  const hard = readAmounts(isObject(status.hard) ? status.hard : spec.hard)
  const used = readAmounts(status.used)
  const usage = usageOf(pod)
  const name = nameOf(quota)
  return [...hard].flatMap(([resource, most]): readonly Refusal[] => {
    const found: Refusal[] = []
    const refuse = (key: string, message: string): void =>
      void found.push({ key: `quota/${name}/${resource}/${key}`, reason: 'resource-quota', message })
    if (DEMANDED.test(resource) && !pod.whole)
      for (const one of pod.containers)
        if (!names(one, resource))
          refuse(one.name, `ResourceQuota "${name}" demands ${resource} of every container, and the sidecar has none`)
    if ((used.get(resource) ?? 0n) + (usage.get(resource) ?? 0n) > most)
      refuse('', `ResourceQuota "${name}" has no room for its ${resource}`)
    return found
  })
}

const names = ({ requests, limits }: CountedPod['containers'][number], resource: string): boolean =>
  resource.startsWith('limits.') ? limits.has(resource.slice(7)) : requests.has(resource.replace('requests.', ''))

/** Whether a quota counts a Pod; true where that is not known. */
function isInScope(pod: CountedPod, { spec }: JsonObject): boolean {
  const scopes = listAt(spec, 'scopes').map((scopeName) => ({ scopeName, operator: 'Exists', values: [] }))
  const selector = isObject(spec) ? spec.scopeSelector : undefined
  const expressions = listAt(selector, 'matchExpressions').filter(isObject)
  return [...scopes, ...expressions].every(({ scopeName, operator, values }) => {
    const deadline = pod.spec.activeDeadlineSeconds ?? undefined
    if (scopeName === 'BestEffort') return isBestEffort(pod)
    if (scopeName === 'NotBestEffort') return !isBestEffort(pod)
    if (scopeName === 'Terminating') return deadline !== undefined
    if (scopeName === 'NotTerminating') return deadline === undefined
    if (scopeName === 'PriorityClass') return hasPriority(pod.spec.priorityClassName, operator, listOf(values))
    return true
  })
}

function hasPriority(name: Json | undefined, operator: Json | undefined, values: readonly Json[]): boolean {
  const isNamed = typeof name === 'string' && name !== ''
  if (operator === 'In') return isNamed && values.includes(name)
  if (operator === 'NotIn') return !isNamed || !values.includes(name)
  return operator === 'DoesNotExist' ? !isNamed : isNamed
}
