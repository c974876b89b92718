/** A Gateway's configuration in the middle: what holds where, before it is text. */

import type { ConflictMode } from '../conflicts/precedence.ts'
import type { Composition } from '../effective/effective.ts'
import { gatewayName, isHttpContextOnly, type Level, levelOn, type TargetName } from '../effective/level.ts'
import type { Neighbours } from '../lookups.ts'
import { type GatewayView, type RouteView, readGateway } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { sharedLocations } from '../routing/locations.ts'
import { printLocation } from '../routing/matches.ts'
import type { RoutesAround } from '../routing/route-targets.ts'
import { refusalOf, withoutRefused } from './accepted.ts'
import { type Block, policyBlocks, type RouteLimits, routeLimits } from './blocks.ts'
import { byName, type NamedGateway } from './gateways.ts'
import { type Listening, listeningOf } from './listeners.ts'
import { lossNote } from './losses.ts'
import { fileNamesOf, titleOf, zoneNodes } from './policy-files.ts'

/** Everything that decides about a Gateway. */
export type Around = Neighbours & {
  readonly routes: RoutesAround['routes'] & {
    attachedTo(gateway: GatewayView): { readonly items: readonly RouteView[] }
  }
}

/** What a Gateway's policies come to. */
export type Configuration = {
  readonly gateway: NamedGateway
  readonly composition: Composition
  /** What was assumed, and what was left out. */
  readonly notes: readonly string[]
  /** Zones, which stand at http. */
  readonly zones: readonly Block[]
  /** The Gateway's limits and settings, which stand at http too. */
  readonly http: readonly Block[]
  /** What stands in the locations of each route, in order of namespace, name and kind. */
  readonly routes: readonly RouteLimits[]
  readonly listening: Listening
  /** The policies that hold, those on the Gateway first. */
  readonly policies: readonly PolicyView[]
}

/** How limits compose, and when policies conflict. */
export type ConfigurationOptions = { readonly composition: Composition; readonly conflict: ConflictMode }

/** Works out what the policies of a Gateway and of its routes come to. */
export function configurationOf(
  gateway: NamedGateway,
  around: Around,
  { composition, conflict }: ConfigurationOptions,
): Configuration {
  const { namespace, name } = gateway
  const neighbours: Neighbours = { ...around, policies: withoutRefused(around.policies) }
  const view = gateway.view ?? readGateway({ metadata: { namespace, name } })
  const listening = listeningOf(gateway, around.routes.attachedTo(view).items, around.namespaces)
  const targets = [gatewayName(gateway), ...listening.routes.map(targetOf)]
  const [outer, ...inner] = targets.map((target) => levelOn(target, neighbours.policies, conflict))
  const routes = listening.routes.map((route) => routeLimits(route, { gateway, neighbours, composition, conflict }))
  const ofRoutes = new Set(inner.flatMap(({ kept }) => [...kept]))
  const policies = [...(outer?.kept ?? []), ...[...ofRoutes].sort((a, b) => byName(a.identity, b.identity))]
  const levels = targets.flatMap((target, index) => ({ target, level: index === 0 ? outer : inner[index - 1] }))
  return {
    gateway,
    composition,
    notes: [
      ...listening.notes,
      ...refusalNotes(targets, around.policies),
      ...levels.flatMap(({ target, level }) => (level ? lossNotes(target, level, conflict) : [])),
      ...policies.filter(isHttpContextOnly).map(contextOnlyNote),
      ...policies.flatMap((policy) => sharedNotes(policy, name, around)),
      ...routes.flatMap(({ notes }) => notes),
    ],
    zones: policies.flatMap(zoneBlock),
    http: outer ? policyBlocks(outer) : [],
    routes,
    listening,
    policies,
  }
}

const targetOf = ({ identity }: RouteView): TargetName => ({ ...identity, name: identity.name ?? '' })

function zoneBlock(policy: PolicyView): readonly Block[] {
  const nodes = zoneNodes(policy)
  return nodes.length === 0 ? [] : [{ title: titleOf(policy), nodes, file: fileNamesOf(policy).zones }]
}

function refusalNotes(targets: readonly TargetName[], policies: Neighbours['policies']): readonly string[] {
  const all = new Set(targets.flatMap(({ kind, namespace, name }) => policies.targeting(kind, namespace, name).items))
  return [...all].flatMap((policy) => {
    const refusal = refusalOf(policy)
    return refusal === undefined ? [] : [`${titleOf(policy)} is left out: the API server refuses it, as ${refusal}.`]
  })
}

const lossNotes = (target: TargetName, { lost }: Level, conflict: ConflictMode): readonly string[] =>
  lost.map(({ policy, fate }) => lossNote(policy, fate, target, conflict))

const contextOnlyNote = (policy: PolicyView): string =>
  `${titleOf(policy)} is annotated to stay in the http context: its zones are defined, and nothing is limited by them.`

/** Here both are rendered, and the limits are those of the route that answers. */
const sharedNotes = (policy: PolicyView, gateway: string, around: Around): readonly string[] =>
  sharedLocations(policy, around)
    .filter((shared) => shared.gateway === gateway)
    .map(
      ({ route, location, other }) =>
        `${titleOf(policy)} is on ${titleOf(route)}, which answers at ${printLocation(location)} as ${titleOf(other)} does: NGINX Gateway Fabric refuses a policy that is on one of them alone (TargetConflict).`,
    )
