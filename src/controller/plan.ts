/** What has to be written so that a cluster carries the statuses that the objects in it should have, as plain data. */

import { ownedBy, ownerOfGateway } from '../gateway/force/owner.ts'
import { GATEWAY } from '../gateway/lookups/gateways.ts'
import type { GatewayLookups } from '../gateway/lookups/lookups.ts'
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import { GRPC_ROUTE, HTTP_ROUTE } from '../gateway/lookups/routes.ts'
import type { GatewayView } from '../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import type { AncestorStatus, Invalidity, Refusal, StatusOptions } from '../gateway/status/status.ts'
import { AFFECTED, type AffectedTarget, ancestorsWith, isRoute, parentsWith } from '../gateway/status/status-objects.ts'
import { type PolicyAncestors, statusesOf } from '../gateway/status/statuses.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import { asObject, isObject, type Json, type JsonObject, member } from '../json/member.ts'
import { isSameValue } from '../json/patch.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { type Condition, listAt, textAt } from '../kubernetes/conditions.ts'
import { judgeAlone } from '../queries/query-world.ts'
import type { Settings } from '../settings/settings.ts'
import { cachedBy } from '../world/cache.ts'
import { noObjects, type ObjectsByKind, type ObjectView, objectsByKind } from '../world/objects.ts'
import { createWorldMaker } from '../world/world.ts'
import type { StatusWrite, Warning } from './write.ts'

/** The objects of a cluster, all of them known. */
export type PlanInput = {
  readonly objects: ObjectsByKind
  readonly lookups: GatewayLookups
  /** The errors of a policy on its own. */
  invalidity(policy: PolicyView): Invalidity | undefined
  /** What a running nginx has said of a policy that it refused. */
  refusal(policy: PolicyView): Refusal | undefined
  readonly options: StatusOptions
}

/** What to write, and how many conditions `Accepted` there are, by their reasons. */
export type Plan = {
  readonly writes: readonly StatusWrite[]
  readonly reasons: ReadonlyMap<string, number>
}

/** Compares the statuses that the objects should have with those that they have. Nothing is written that is there already. */
export function planWrites({ objects, lookups, invalidity, refusal, options }: PlanInput): Plan {
  const context = { ...lookups, invalidity, refusal, isAmbiguous: () => false }
  const input = {
    policies: objects.of(RATE_LIMIT_POLICY).all(),
    targets: [...objects.of(GATEWAY).all(), ...objects.of(HTTP_ROUTE).all(), ...objects.of(GRPC_ROUTE).all()],
    lookups,
    contextOf: () => context,
  }
  const { policies, targets } = statusesOf(input, options)
  const writes = [
    ...policies.flatMap((policy) => policyWrite(policy, options) ?? []),
    ...targets.flatMap((target) => targetWrite(target, lookups, options) ?? []),
  ]
  return { writes, reasons: countReasons(policies) }
}

function countReasons(policies: readonly PolicyAncestors[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { ancestors } of policies)
    for (const { conditions } of ancestors)
      for (const { reason } of conditions.filter(({ type }) => type === 'Accepted'))
        counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return counts
}

const statusOf = ({ object }: ObjectView): JsonObject | undefined => member(object, '', 'status', asObject).value

function policyWrite({ view, ancestors }: PolicyAncestors, options: StatusOptions): StatusWrite | undefined {
  const before = listAt(statusOf(view), 'ancestors')
  const after = ancestorsWith(view.object, ancestors, options)
  if (isSameValue(before, after)) return undefined
  const warnings = newWarnings(ancestors, before, options)
  return writeOf(view, { kind: 'apply', status: { ancestors: after } }, warnings)
}

/** Reasons of conditions that a person should know of; that a target is missing may last only until it arrives. */
const WARNED: ReadonlySet<string> = new Set(['Conflicted', 'Invalid'])

/** Each condition that says something else than the one before it, once for all targets of which it says the same. */
function newWarnings(
  ancestors: readonly AncestorStatus[],
  before: readonly Json[],
  { controllerName }: StatusOptions,
): readonly Warning[] {
  const own = before.filter((entry) => textAt(entry, 'controllerName') === controllerName)
  const known = new Set(own.flatMap((entry) => listAt(entry, 'conditions')).map((one) => textAt(one, 'message')))
  const warnings = ancestors.flatMap(({ conditions }) =>
    conditions.flatMap(({ status, reason, message }): Warning[] =>
      status !== 'True' && WARNED.has(reason) && !known.has(message) ? [{ reason, message }] : [],
    ),
  )
  return [...new Map(warnings.map((warning) => [warning.message, warning])).values()]
}

function targetWrite(target: AffectedTarget, lookups: GatewayLookups, options: StatusOptions): StatusWrite | undefined {
  const { view, condition } = target
  if (!isRoute(view))
    return gatewayWrite(view, condition, ownerOfGateway(view.identity, ownedBy(lookups, options)) === 'own')
  const before = listAt(statusOf(view), 'parents')
  const after = parentsWith(target, options)
  return isSameValue(before, after) ? undefined : writeOf(view, { kind: 'apply', status: { parents: after } })
}

/**
 * The condition of a Gateway is one item of a list whose other items belong to others. One on a Gateway of another controller
 * is removed only where this controller has written it.
 */
function gatewayWrite(view: GatewayView, condition: Condition | undefined, isOwn: boolean): StatusWrite | undefined {
  const conditions = listAt(statusOf(view), 'conditions')
  const index = conditions.findIndex((one) => textAt(one, 'type') === AFFECTED)
  if (condition && isSameValue(conditions[index], condition)) return undefined
  if (condition) return writeOf(view, { kind: 'apply', status: { conditions: [condition] } })
  if (index < 0) return undefined
  if (isAppliedHere(view)) return writeOf(view, { kind: 'apply', status: {} })
  return isOwn ? writeOf(view, { kind: 'remove', pointer: `/status/conditions/${index}` }) : undefined
}

/** True where the condition is among the fields that this controller has applied. */
function isAppliedHere({ object }: GatewayView): boolean {
  const { managedFields } = isObject(object.metadata) ? object.metadata : {}
  return JSON.stringify(managedFields ?? []).includes(AFFECTED)
}

function writeOf(
  { object, identity: { kind, namespace = '', name = '' } }: ObjectView,
  change: StatusWrite['change'],
  warnings: readonly Warning[] = [],
): StatusWrite {
  const { resourceVersion, uid } = isObject(object.metadata) ? object.metadata : {}
  return {
    key: `${kind}/${namespace}/${name}`,
    about: {
      apiVersion: String(object.apiVersion),
      kind,
      namespace,
      name,
      uid: typeof uid === 'string' ? uid : undefined,
    },
    basedOn: typeof resourceVersion === 'string' ? resourceVersion : '',
    change,
    warnings,
  }
}

/** The errors of a policy on its own, where it has any. */
export type InvalidityOf = (policy: PolicyView) => Invalidity | undefined

const NOTHING = noObjects(false)

/** Makes what judges each version of a policy once, until the settings or an object change that is known by more than its name. */
export function createInvalidity(): (objects: ObjectsByKind, settings: Settings) => InvalidityOf {
  let last: { readonly inputs: readonly unknown[]; readonly judge: InvalidityOf } | undefined
  return (objects, settings) => {
    const kinds = GATEWAY_SYSTEM.kinds(apiNames(settings.apiGroups)).filter(({ keepsName }) => keepsName)
    const kept = new Map(kinds.map(({ kind }) => [kind, objects.named(kind)]))
    const inputs = [settings, ...kept.values()]
    if (last?.inputs.every((input, index) => input === inputs[index])) return last.judge
    const open = new Map([...kept].map(([kind, known]) => [kind, { ...known, closed: false }]))
    const { lookups } = createWorldMaker([GATEWAY_SYSTEM])(objectsByKind((kind) => open.get(kind) ?? NOTHING))
    const judge = cachedBy(judgeAlone(lookups, settings))
    last = { inputs, judge }
    return judge
  }
}
