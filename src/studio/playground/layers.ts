/** The limits that apply to requests, as layers: a policy each, with what becomes of it. Pure. */

import type { EffectiveProxy, EffectiveResult, TextSource } from '../../browser.ts'
import { type LimitRef, limitsWritten } from './manifest-places.ts'

/** What becomes of a policy's limits for requests to the chosen object. */
type LayerState = 'own' | 'inherited' | 'overridden' | 'conflicted' | 'rejected' | 'not-in-force'

/** One limit of a layer. */
export type LayerLimit = {
  readonly index: number
  /** `10r/s per $binary_remote_addr` */
  readonly what: string
  /** What nginx does with it, a line each. */
  readonly details: readonly string[]
  /** Empty where nginx has no zone for it. */
  readonly zone: string
}

/** A policy, and what becomes of it. */
export type Layer = {
  readonly name: string
  /** Undefined for the policies of API proxies, which have no name. */
  readonly policy: LimitRef['policy'] | undefined
  readonly state: LayerState
  /** Why it is in that state, where it is not obvious. */
  readonly reason: string
  readonly limits: readonly LayerLimit[]
  /** Where the limits are written, for policies without a name. */
  readonly at?: { readonly file: string; readonly lines: readonly (number | null)[] }
}

/** What requests through one Gateway meet, in order. */
export type Stack = { readonly title: string; readonly layers: readonly Layer[] }

/** The layers for each Gateway; one stack for an API proxy. */
export function stacksOf(result: EffectiveResult | EffectiveProxy, files: readonly TextSource[]): readonly Stack[] {
  if (isProxy(result)) return [{ title: 'At the gateways of the environment', layers: proxyLayers(result) }]
  return result.requestPaths.map((path) => ({
    title: titleOf(result, path),
    layers: [
      ...appliedLayers(result, path),
      ...overriddenLayers(path, files),
      ...conflictedLayers(path, files),
      ...rejectedLayers(result, files),
      ...layersNotInForce(result, path, files),
    ],
  }))
}

type GatewayPath = EffectiveResult['requestPaths'][number]
type AppliedLimit = GatewayPath['limits'][number]

const isProxy = (result: EffectiveResult | EffectiveProxy): result is EffectiveProxy => result.target.kind === 'Proxy'

function titleOf({ target }: EffectiveResult, { gateway, attachment }: GatewayPath): string {
  if (!gateway) return attachment === 'rejected' ? 'No Gateway accepts the route' : 'Behind Gateways not in these files'
  const known = gateway.found ? '' : ', which is not in these files'
  const name = `Gateway ${nameOf(gateway)}${gateway.isForeign ? ', which belongs to another controller' : known}`
  return `${target.kind === 'Gateway' ? 'At' : 'Behind'} ${name}`
}

const nameOf = ({ namespace, name }: LimitRef['policy']): string => (namespace === '' ? name : `${namespace}/${name}`)

/** Limits of one policy that follow each other are one layer. */
function appliedLayers({ target }: EffectiveResult, { limits }: GatewayPath): readonly Layer[] {
  const layers: Layer[] = []
  for (const limit of limits) {
    const last = layers.at(-1)
    const name = nameOf(limit.policy)
    const state = limit.level === 'gateway' && target.kind !== 'Gateway' ? 'inherited' : 'own'
    if (last?.name === name) layers[layers.length - 1] = { ...last, limits: [...last.limits, layerLimit(limit)] }
    else
      layers.push({
        name,
        policy: limit.policy,
        state,
        reason: state === 'own' ? `on this ${target.kind}` : 'from the Gateway',
        limits: [layerLimit(limit)],
      })
  }
  return layers
}

function layerLimit(limit: AppliedLimit): LayerLimit {
  const { index, key, rate, zone, zoneBytes, zoneMaxKeys, dryRun, rejectCode, sharedWith, appliesTo } = limit
  return {
    index,
    what: `${rate} per ${key}`,
    zone,
    details: [
      burstOf(limit),
      dryRun ? 'dry run: nginx only counts and logs' : `rejected with ${rejectCode}`,
      zoneText(zone, zoneBytes, zoneMaxKeys),
      ...(sharedWith.length > 0 ? [`one budget with ${sharedWith.join(', ')}`] : []),
      ...(appliesTo === 'none' ? ['the key is always empty: no request is limited'] : []),
      ...(appliesTo === 'some' ? ['requests without a value for the key are not limited'] : []),
    ],
  }
}

type Burst = Pick<AppliedLimit, 'burst' | 'queue'>

function burstOf({ burst, queue: { undelayed, delayed, maxDelaySeconds } }: Burst): string {
  if (burst === 0) return 'no burst'
  if (delayed === 0) return `a burst of ${burst} passes at once`
  const first =
    undelayed === 0 ? `a burst of ${burst}` : `of a burst of ${burst}, ${undelayed} pass at once, ${delayed}`
  return `${first} wait${undelayed === 0 ? 's' : ''} up to ${maxDelaySeconds} s`
}

function zoneText(zone: string, bytes: number | null, keys: number | null): string {
  if (bytes === null) return `zone ${zone}, whose size is not valid`
  const size = `${(bytes / 1024 / 1024).toLocaleString('en', { maximumFractionDigits: 2 })} MiB`
  return `zone ${zone}, ${size}${keys === null ? '' : `, up to ${keys.toLocaleString('en')} keys`}`
}

/** Limits as they are written, of a policy of which none applies. */
const writtenLimits = (files: readonly TextSource[], policy: LimitRef['policy']): readonly LayerLimit[] =>
  limitsWritten(files, policy).map(({ key, rate }, index) => ({
    index,
    what: `${rate} per ${key}`,
    details: [],
    zone: '',
  }))

const notApplied = (
  files: readonly TextSource[],
  policy: LimitRef['policy'],
  state: LayerState,
  reason: string,
): Layer => ({ name: nameOf(policy), policy, state, reason, limits: writtenLimits(files, policy) })

const overriddenLayers = ({ replaced }: GatewayPath, files: readonly TextSource[]): readonly Layer[] =>
  [...new Map(replaced.map(({ policy }) => [nameOf(policy), policy])).values()].map((policy) =>
    notApplied(files, policy, 'overridden', 'the limits of the route replace those of its Gateway'),
  )

const DECIDED_BY: Readonly<Record<GatewayPath['conflicts'][number]['decidedBy'], string>> = {
  age: 'which is older',
  name: 'which is equally old and comes first by name',
  dated: 'which is the only one of the two with a creation time',
  assumed: 'which comes first by name, as creation times are unknown',
}

const conflictedLayers = ({ conflicts }: GatewayPath, files: readonly TextSource[]): readonly Layer[] =>
  conflicts.map(({ rejected, preferred, fields, decidedBy, certain }) =>
    notApplied(
      files,
      rejected,
      'conflicted',
      `${certain ? '' : 'may be rejected: '}sets ${fields.join(', ')} as ${nameOf(preferred)} does, ${DECIDED_BY[decidedBy]}`,
    ),
  )

const rejectedLayers = ({ invalidPolicies }: EffectiveResult, files: readonly TextSource[]): readonly Layer[] =>
  invalidPolicies
    .filter(({ rejectedBy }) => rejectedBy !== 'strict-client')
    .map(({ namespace, name, message }) => notApplied(files, { namespace, name }, 'rejected', message))

/** Policies that are valid and lose no conflict, but limit nothing here. */
const layersNotInForce = (
  { notInForce }: EffectiveResult,
  { gateway }: GatewayPath,
  files: readonly TextSource[],
): readonly Layer[] =>
  notInForce
    .filter((one) => one.reason !== 'invalid' && one.reason !== 'conflict')
    .filter((one) => one.gateway?.namespace === gateway?.namespace && one.gateway?.name === gateway?.name)
    .map(({ namespace, name, message }) => notApplied(files, { namespace, name }, 'not-in-force', message))

function proxyLayers({ limits, target }: EffectiveProxy): readonly Layer[] {
  const policies = [...new Set(limits.map(({ policy }) => policy))]
  return policies.map((position) => {
    const own = limits.filter(({ policy }) => policy === position)
    return {
      name: `rate-limit[${position}]`,
      policy: undefined,
      state: 'own' as const,
      reason: 'on this proxy',
      at: { file: target.place.file, lines: own.map(({ place }) => place.line) },
      limits: own.map((limit) => ({
        index: limit.index,
        what: `${limit.rate} per ${limit.rateLimitBy}`,
        zone: limit.zone,
        details: [
          burstOf(limit),
          `rejected with ${limit.returnCode}, gRPC with ${limit.grpcStatusCode}`,
          zoneText(limit.zone, limit.zoneBytes, limit.zoneMaxKeys),
        ],
      })),
    }
  })
}
