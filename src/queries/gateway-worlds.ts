/** The objects and lookups of the gateway system, world by world: what questions are asked of. */
import { GATEWAY } from '../gateway/lookups/gateways.ts'
import type { GatewayLookups } from '../gateway/lookups/lookups.ts'
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import { GRPC_ROUTE, HTTP_ROUTE } from '../gateway/lookups/routes.ts'
import type { GatewayView, RouteView } from '../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import { GATEWAY_SYSTEM } from '../gateway/system.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject } from '../project/objects.ts'
import type { Source } from '../project/source.ts'
import * as worlds from '../project/worlds.ts'
import { kindTable } from '../world/kinds.ts'
import { type KindRef, type ObjectView, viewOf } from '../world/objects.ts'

const SYSTEM = [GATEWAY_SYSTEM]

/** A policy and where it was found. */
export type FoundPolicy = FoundObject<PolicyView>

/** The objects of one world. */
export type GatewayObjects = {
  readonly policies: readonly FoundPolicy[]
  readonly gateways: readonly GatewayView[]
  /** HTTPRoutes, then GRPCRoutes. */
  readonly routes: readonly RouteView[]
  /** True where some objects get another name before they reach the cluster, or cannot be read. */
  readonly partial: boolean
  readonly collected: CollectedObjects
}

/** Reads sources into the objects of each world, by the name of the world; the empty name is the default. */
export function collectGatewayWorlds(
  sources: Iterable<Source>,
  names: ApiNames,
): ReadonlyMap<string, GatewayObjects> {
  const { worlds: collected } = worlds.collectWorlds(sources, kindTable(SYSTEM, names))
  return new Map([...collected].map(([name, objects]) => [name, gatewayObjects(objects)]))
}

function gatewayObjects(collected: CollectedObjects): GatewayObjects {
  const viewsOf = <View extends ObjectView>(kind: KindRef<View>): readonly View[] =>
    (collected.byKind.get(kind.kind) ?? []).flatMap(({ view }) => viewOf(view, kind) ?? [])
  return {
    policies: (collected.byKind.get(RATE_LIMIT_POLICY.kind) ?? []).flatMap((found) => {
      const view = viewOf(found.view, RATE_LIMIT_POLICY)
      return view ? [{ ...found, view }] : []
    }),
    gateways: viewsOf(GATEWAY),
    routes: [...viewsOf(HTTP_ROUTE), ...viewsOf(GRPC_ROUTE)],
    partial: collected.partial,
    collected,
  }
}

/** The lookups among objects, of whose policies only the listed ones exist. */
export function gatewayWorld(
  { collected, policies }: Pick<GatewayObjects, 'collected' | 'policies'>,
  { closed }: { readonly closed: boolean },
): GatewayLookups {
  const byKind = new Map([...collected.byKind, [RATE_LIMIT_POLICY.kind, [...policies]]])
  return worlds.worldOf(SYSTEM, { ...collected, byKind }, { closed }).lookups
}

/** Lookups that find no object; variables of SnippetsFilters are known all the same. */
export const isolatedGatewayWorld = ({ collected }: Pick<GatewayObjects, 'collected'>, names: ApiNames): GatewayLookups =>
  worlds.isolatedWorld(SYSTEM, kindTable(SYSTEM, names), collected).lookups

export { canBeLookedUp }
