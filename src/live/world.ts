/** The objects that decide what nginx runs, as they were at one moment: a watch may change them while nginx is asked. */

import { anyOwner, type Ownership, ownedBy } from '../gateway/force/owner.ts'
import { GATEWAY } from '../gateway/lookups/gateways.ts'
import type { GatewayLookups } from '../gateway/lookups/lookups.ts'
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { gatewaysIn, type NamedGateway } from '../gateway/render/listeners.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import { judgeAlone } from '../queries/query-world.ts'
import type { Settings } from '../settings/settings.ts'
import { cachedBy, lazily } from '../world/cache.ts'
import { kindObjects, noObjects, type ObjectsByKind, objectsByKind } from '../world/objects.ts'
import { createWorldMaker } from '../world/world.ts'

/** A Gateway that an nginx can stand for. */
export type LiveGateway = NamedGateway

/** A world of which nginx runs something. */
export type LiveWorld = {
  readonly settings: Settings
  readonly names: ApiNames
  /** The Gateways whose objects are known, with the listeners of their ListenerSets, by namespace and name. */
  readonly gateways: readonly LiveGateway[]
  /** What its objects say, with all of its policies. */
  readonly lookups: GatewayLookups
  /** The same with other policies than its own. */
  withPolicies(policies: readonly PolicyView[]): GatewayLookups
  /** True for a policy with an error that nginx will find. */
  isForeseenToFail(policy: PolicyView): boolean
}

const SYSTEMS = [GATEWAY_SYSTEM]

/** Takes the objects as they are now: those of a watched cluster, or of manifests. `whose` Gateways count. */
export function takeWorld(
  objects: Pick<ObjectsByKind, 'named' | 'definitions'>,
  settings: Settings,
  whose: Omit<Ownership, 'fabricVersion'> = anyOwner(settings.fabricVersion),
): LiveWorld {
  const owner = { ...whose, fabricVersion: settings.fabricVersion }
  const names = apiNames(settings.apiGroups)
  const kinds = GATEWAY_SYSTEM.kinds(names)
  const taken = new Map(
    kinds.map(({ kind }) => {
      const known = objects.named(kind)
      return [kind, kindObjects(known.all(), { closed: known.closed })]
    }),
  )
  const named = (kind: string) => taken.get(kind) ?? NOTHING
  const own = objectsByKind(named, objects.definitions)
  const makeWorld = createWorldMaker(SYSTEMS)
  const lookups = ownedBy(makeWorld(own).lookups, owner)
  const keeping = new Set(kinds.filter(({ keepsName }) => keepsName).map(({ kind }) => kind))
  const isolated = lazily(() =>
    createWorldMaker(SYSTEMS)(objectsByKind((kind) => (keeping.has(kind) ? named(kind) : NOTHING))),
  )
  const judge = lazily(() => judgeAlone(isolated().lookups, settings))
  return {
    settings,
    names,
    lookups,
    gateways: gatewaysIn({ gateways: own.of(GATEWAY).all(), routes: [], policies: [] }).flatMap((gateway) => {
      const known = lookups.gateways.get(gateway.namespace, gateway.name)
      return known.state === 'found' ? [{ ...gateway, view: known.value }] : []
    }),
    withPolicies(policies) {
      const closed = named(RATE_LIMIT_POLICY.kind).closed
      const others = kindObjects(policies, { closed })
      const changed = makeWorld(objectsByKind((kind) => (kind === RATE_LIMIT_POLICY.kind ? others : named(kind))))
      return ownedBy(changed.lookups, owner)
    },
    isForeseenToFail: cachedBy((policy: PolicyView) => judge()(policy)?.rejectedBy === 'nginx'),
  }
}

const NOTHING = noObjects(false)
