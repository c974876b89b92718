/** The configuration of a Gateway before it is text: which directives belong where, what was assumed, what was left out. */

import { FAULTS, type FabricVersion, fabricTitle, hasFault, hasLearned } from '../../fabric/releases.ts'
import type { ZoneNaming } from '../../limits/zone.ts'
import { comment, type Node, SPACE } from '../../nginx/nodes.ts'
import type { Conflict, ConflictMode, PrecedenceReason } from '../conflicts/precedence.ts'
import type { Composition, EffectiveModes } from '../effective/effective.ts'
import {
  gatewayName,
  isHttpContextOnly,
  type Level,
  levelOn,
  type NotAccepted,
  type TargetName,
} from '../effective/level.ts'
import { whyOutOfSight } from '../force/force.ts'
import type { GatewayLookups } from '../lookups/lookups.ts'
import { type GatewayView, type RouteView, readGateway } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { isOverlooked, routesThroughSets } from '../routing/faults.ts'
import { printLocation } from '../routing/matches.ts'
import { type AttachedRouteLookups, sharedLocations } from '../routing/targets.ts'
import { apiRejection } from '../schema/acceptance.ts'
import { policyBlocks, type RouteLimits, routeLimits } from './blocks.ts'
import { fileNamesOf, isFinished, titleOf, zoneNodes } from './files.ts'
import { byName, type Listening, listeningOf, type NamedGateway, titleOfGateway } from './listeners.ts'
import type { Block } from './policy-blocks.ts'

/** Everything that decides about the configuration of a Gateway. */
export type RenderLookups = GatewayLookups & AttachedRouteLookups

/** How limits compose, when policies conflict, how zones are named, and which release writes the configuration. */
export type RenderModes = EffectiveModes & {
  readonly zoneNaming: ZoneNaming
  readonly fabricVersion: FabricVersion
}

/** The directives of a Gateway's policies, and where they belong. */
export type Configuration = {
  readonly gateway: NamedGateway
  readonly composition: Composition
  /** What was assumed, and what was left out. */
  readonly notes: readonly string[]
  /** Zones, which are at http. */
  readonly zones: readonly Block[]
  /** The limits and settings of the Gateway, and the context in which they are: http, or each of its servers. */
  readonly limits: readonly Block[]
  readonly limitsIn: 'http' | 'server'
  readonly fabricVersion: FabricVersion
  /** The directives in the locations of each route, in order of namespace, name and kind. */
  readonly routes: readonly RouteLimits[]
  readonly listening: Listening
  /** The accepted policies, those on the Gateway first. */
  readonly policies: readonly PolicyView[]
}

/** Finds out which directives the policies of a Gateway and of its routes result in. */
export function configurationOf(
  gateway: NamedGateway,
  lookups: RenderLookups,
  { composition, conflict, zoneNaming, fabricVersion }: RenderModes,
): Configuration {
  const { listening, targets, outer, inner, policies, why } = levelsOf(gateway, lookups, conflict)
  const routes = listening.routes.map(
    (route): RouteLimits =>
      why === undefined
        ? routeLimits(route, { gateway, lookups, composition, conflict, zoneNaming })
        : { route, blocks: [], hop: undefined, notes: [] },
  )
  const isZoneless = (policy: PolicyView): boolean =>
    hasFault(fabricVersion, 'zoneOfListenerSet') &&
    routesThroughSets(policy, lookups, conflict).some(
      ({ gateway: { namespace, name } }) => namespace === gateway.namespace && name === gateway.name,
    )
  const levels = targets.flatMap((target, index) => ({ target, level: index === 0 ? outer : inner[index - 1] }))
  return {
    gateway,
    composition,
    notes: [
      ...(why === undefined ? [] : [`No RateLimitPolicy is in force here: the Gateway ${why}.`]),
      ...listening.notes,
      ...rejectionNotes(targets, lookups.policies),
      ...levels.flatMap(({ target, level }) => (level ? conflictNotes(target, level, conflict) : [])),
      ...policies.filter(isHttpContextOnly).map(contextOnlyNote),
      ...policies.filter(isZoneless).map((policy) => zonelessNote(policy, fabricVersion)),
      ...policies.flatMap(unfinishedNotes),
      ...policies.flatMap((policy) => sharedNotes(policy, gateway.name, lookups, fabricVersion)),
      ...routes.flatMap(({ notes }) => notes),
    ],
    zones: policies.filter((policy) => !isZoneless(policy)).flatMap((policy) => zoneBlock(policy, zoneNaming)),
    limits: outer ? policyBlocks(outer, zoneNaming) : [],
    limitsIn: limitsOfGatewayIn(fabricVersion),
    fabricVersion,
    routes,
    listening,
    policies,
  }
}

/** The policies that are accepted on a Gateway and on the routes that it serves: those on the Gateway first. */
export const acceptedPolicies = (
  gateway: NamedGateway,
  lookups: RenderLookups,
  conflict: ConflictMode,
): readonly PolicyView[] => levelsOf(gateway, lookups, conflict).policies

function levelsOf(gateway: NamedGateway, lookups: RenderLookups, conflict: ConflictMode) {
  const { namespace, name } = gateway
  const view: GatewayView = gateway.view ?? readGateway({ metadata: { namespace, name } })
  const listening = listeningOf(gateway, lookups.routes.attachedTo(view).items, lookups.namespaces)
  const why = whyOutOfSight(gateway, lookups)
  if (why !== undefined) return { listening, targets: [], outer: undefined, inner: [], policies: [], why }
  const targets = [gatewayName(gateway), ...listening.routes.map(targetOf)]
  const [outer, ...inner] = targets.map((target) => levelOn(target, lookups, conflict))
  const ofRoutes = new Set(inner.flatMap(({ accepted }) => [...accepted]))
  const policies = [...(outer?.accepted ?? []), ...[...ofRoutes].sort((a, b) => byName(a.identity, b.identity))]
  return { listening, targets, outer, inner, policies, why }
}

const targetOf = ({ identity }: RouteView): TargetName => ({ ...identity, name: identity.name ?? '' })

function zoneBlock(policy: PolicyView, naming: ZoneNaming): readonly Block[] {
  const nodes = zoneNodes(policy, naming)
  return nodes.length === 0 ? [] : [{ title: titleOf(policy), nodes, file: fileNamesOf(policy).zones }]
}

/** Where a release writes the limits of a Gateway. */
const limitsOfGatewayIn = (version: FabricVersion): Configuration['limitsIn'] =>
  hasLearned(version, 'limitsInServers') ? 'server' : 'http'

const COMPOSITIONS: Readonly<Record<Composition, string>> = {
  stack:
    'Assumed composition: stack. The limits of Gateway and route are both enforced: a location with limits of its own repeats those of its Gateway.',
  inherit:
    'Assumed composition: inherit, as in NGINX Gateway Fabric. The limits of a route replace those of its Gateway.',
}

const LIMITS_IN = { http: 'in the http context', server: 'in each of its servers' } as const

/** The comments at the beginning of every output: whose configuration it is, and the notes. */
export const headerNodes = ({
  gateway,
  composition,
  fabricVersion,
  limitsIn,
  notes,
}: Configuration): readonly Node[] => [
  comment(`${titleOfGateway(gateway)}: the nginx configuration of its RateLimitPolicies.`),
  comment(COMPOSITIONS[composition]),
  comment(`Contexts as in ${fabricTitle(fabricVersion)}: the limits of a Gateway are ${LIMITS_IN[limitsIn]}.`),
  SPACE,
  ...notes.map(comment),
  SPACE,
]

function rejectionNotes(targets: readonly TargetName[], policies: GatewayLookups['policies']): readonly string[] {
  const all = new Set(targets.flatMap(({ kind, namespace, name }) => policies.targeting(kind, namespace, name).items))
  return [...all].flatMap((policy) => {
    const reason = apiRejection(policy)
    return reason === undefined ? [] : [`${titleOf(policy)} is left out: the API server rejects it, because ${reason}.`]
  })
}

const conflictNotes = (target: TargetName, { notAccepted }: Level, mode: ConflictMode): readonly string[] =>
  notAccepted.map((policy) => conflictNote(policy, target, mode))

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'was created in the same second and comes first by name',
  dated: 'is the only one of the two with a creation time',
  assumed: 'comes first by name, as creation times are not known',
}

/** Why a policy is left out. `target` is the one on which it was found; the conflict may be on another target. */
function conflictNote({ policy, outcome }: NotAccepted, target: TargetName, mode: ConflictMode): string {
  const begin = `${titleOf(policy)} is left out on ${target.kind} ${target.name}:`
  if (outcome.state === 'rejected')
    return `${begin} ${outcome.conflicts.map((conflict) => describeConflict(conflict, mode)).join('; ')}.`
  const chains = outcome.chains.map(
    ({ conflict, next }) =>
      `${describeConflict(conflict, mode)}, which itself conflicts with ${titleOf(next.preferred)} on ${next.kind} ${next.name}`,
  )
  return `${begin} whether it is accepted depends on the order of targets. ${chains.map(capitalized).join('; ')}.`
}

function describeConflict(conflict: Conflict & { readonly kind: string; readonly name: string }, mode: ConflictMode) {
  const { preferred, fields, decidedBy, kind, name } = conflict
  const set = mode === 'any-field' ? 'which sets' : 'both set'
  return `it conflicts with ${titleOf(preferred)} on ${kind} ${name} (${set} ${fields.join(', ')}; the preferred policy ${REASONS[decidedBy]})`
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

const contextOnlyNote = (policy: PolicyView): string =>
  `${titleOf(policy)} has the annotation that keeps it in the http context: its zones are defined, but not used for limits.`

function zonelessNote(policy: PolicyView, version: FabricVersion): string {
  const { fixed, link } = FAULTS.zoneOfListenerSet
  return `${titleOf(policy)} has no zones: NGINX Gateway Fabric ${version} writes none for routes that name only ListenerSets, so nginx refuses this configuration; fixed in ${fixed}: ${link}`
}

const unfinishedNotes = (policy: PolicyView): readonly string[] =>
  policy.limits
    .filter((limit) => !isFinished(limit))
    .map(({ index }) => `${titleOf(policy)} rules[${index}] is left out: it has a placeholder that is filled in later.`)

/** Routes of which only one is a target answer at the same location. Here both are rendered, each with its own limits. */
const sharedNotes = (
  policy: PolicyView,
  gateway: string,
  lookups: RenderLookups,
  version: FabricVersion,
): readonly string[] =>
  sharedLocations(policy, lookups)
    .filter((shared) => shared.gateway === gateway)
    .map((shared) => {
      const { route, location, other } = shared
      const what = isOverlooked(shared, lookups, version)
        ? `${fabricTitle(version)} accepts a policy that targets only one of them, and one of the two gets limits of the other, or loses its own: ${FAULTS.partialOverlap.link}`
        : 'NGINX Gateway Fabric rejects a policy that targets only one of them (TargetConflict).'
      return `${titleOf(policy)} targets ${titleOf(route)}, which answers at ${printLocation(location)} as ${titleOf(other)} does: ${what}`
    })
