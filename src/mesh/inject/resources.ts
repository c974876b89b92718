/** What the containers of a Pod request, and its sums, as the API server counts them. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { type Amounts, readAmounts } from '../../kubernetes/quantity.ts'
import { listOf } from './pod.ts'

/** Requests and limits. */
type Resources = { readonly requests: Amounts; readonly limits: Amounts }

/** A container with its resources. */
type Counted = Resources & { readonly name: string; readonly isInit: boolean; readonly isRestarted: boolean }

/** A Pod with the resources of its containers. */
export type CountedPod = {
  readonly spec: JsonObject
  readonly containers: readonly Counted[]
  /** Those of the Pod as a whole; undefined where it names none. */
  readonly whole: Resources | undefined
}

const resourcesOf = (value: Json | undefined): Resources => {
  const { requests, limits } = isObject(value) ? value : {}
  const upTo = readAmounts(limits)
  // The API server writes a limit without a request as the request too.
  return { requests: new Map([...upTo, ...readAmounts(requests)]), limits: upTo }
}

/** Reads the resources of a specification. */
export function countPod(spec: JsonObject): CountedPod {
  const read = (list: Json | undefined, isInit: boolean) =>
    listOf(list).flatMap((one): Counted[] => {
      if (!isObject(one)) return []
      const isRestarted = isInit && one.restartPolicy === 'Always'
      return [{ name: String(one.name), isInit, isRestarted, ...resourcesOf(one.resources) }]
    })
  const containers = [...read(spec.containers, false), ...read(spec.initContainers, true)]
  const whole = isObject(spec.resources) ? resourcesOf(spec.resources) : undefined
  if (!whole || whole.requests.size + whole.limits.size === 0) return { spec, containers, whole: undefined }
  if (whole.limits.size === 0) return { spec, containers, whole }
  // The API server writes the sum of a Pod with limits as its request, before LimitRanges give defaults to what was added.
  const sums = [...sumOf({ containers }, 'requests')].filter(([name]) => OF_WHOLE_PODS.test(name))
  return { spec, containers, whole: { ...whole, requests: new Map([...sums, ...whole.requests]) } }
}

const OF_WHOLE_PODS = /^(?:cpu|memory|hugepages-.*)$/

/** The Pod after a LimitRange has given defaults to containers that name nothing. */
export const withDefaults = (pod: CountedPod, { requests, limits }: Resources): CountedPod => ({
  ...pod,
  containers: pod.containers.map((one) => ({
    ...one,
    requests: new Map([...requests, ...one.requests]),
    limits: new Map([...limits, ...one.limits]),
  })),
})

/** What all containers need at the same time: those that end before others start count by the largest. */
export function sumOf({ containers }: Pick<CountedPod, 'containers'>, which: keyof Resources): Map<string, bigint> {
  const sum = new Map<string, bigint>()
  const restarted = new Map<string, bigint>()
  const most = new Map<string, bigint>()
  for (const one of containers) {
    if (!one.isInit || one.isRestarted) add(sum, one[which])
    if (one.isRestarted) add(restarted, one[which])
    if (one.isInit) raise(most, one.isRestarted ? restarted : added(restarted, one[which]))
  }
  raise(sum, most)
  return sum
}

function added(sum: Amounts, amounts: Amounts): Map<string, bigint> {
  const copy = new Map(sum)
  add(copy, amounts)
  return copy
}

/** Raises amounts to those that are larger. */
function raise(most: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) if (amount > (most.get(name) ?? -1n)) most.set(name, amount)
}

function add(sum: Map<string, bigint>, amounts: Amounts): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0n) + amount)
}

/** The sums, in whose place a Pod may name amounts as a whole. */
export function totalOf(pod: CountedPod, which: keyof Resources): Map<string, bigint> {
  const named = [...(pod.whole?.[which] ?? [])].filter(([name]) => OF_WHOLE_PODS.test(name))
  return new Map([...sumOf(pod, which), ...named])
}

/** What a ResourceQuota counts of a Pod, by the names that it has there. */
export function usageOf(pod: CountedPod): Amounts {
  const overhead = readAmounts(pod.spec.overhead)
  const [requests, limits] = [totalOf(pod, 'requests'), totalOf(pod, 'limits')]
  add(requests, overhead)
  for (const [name, amount] of overhead) if (limits.has(name)) add(limits, new Map([[name, amount]]))
  return new Map([
    ...[...requests].flatMap(([name, amount]): [string, bigint][] => [
      [name, amount],
      [`requests.${name}`, amount],
    ]),
    ...[...limits].map(([name, amount]): [string, bigint] => [`limits.${name}`, amount]),
  ])
}

/** True where no container asks for processors or memory. */
export function isBestEffort({ containers, whole }: CountedPod): boolean {
  const asks = ({ requests, limits }: Resources): boolean =>
    ['cpu', 'memory'].some((name) => (requests.get(name) ?? 0n) > 0n || (limits.get(name) ?? 0n) > 0n)
  return !(whole ? asks(whole) : containers.some(asks))
}
