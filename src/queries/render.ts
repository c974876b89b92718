/** `sluice render`: the nginx configuration of the Gateways of a query. */

import type { PolicyView } from '../gateway/objects/policy.ts'
import { titleOf } from '../gateway/render/files.ts'
import { type NamedGateway, titleOfGateway } from '../gateway/render/listeners.ts'
import { type Rendered, type RenderOptions, renderGateway } from '../gateway/render/render.ts'
import { describeInvalidity } from '../gateway/status/status.ts'
import { type Source, withNamesOnly } from '../project/source.ts'
import type { Settings } from '../settings/settings.ts'
import { nearest } from '../text/nearest.ts'
import { findGateways, type GatewayQuery, type QueryResult } from './find.ts'
import { findInvalid, type NamedWorld, namedWorlds } from './query-world.ts'

/** Which Gateways to render, and how. */
export type RenderQuery = GatewayQuery & {
  readonly settings: Settings
  /** True where the sources are all that exists. */
  readonly closedWorld: boolean
  /** How to render; what the settings decide is taken from them. */
  readonly how: Omit<RenderOptions, 'composition' | 'conflict' | 'nginxVersion' | 'plus' | 'defined'>
}

/** The configuration of one Gateway. */
export type RenderedGateway = Pick<Rendered, 'files' | 'loops'> & {
  /** The world that it belongs to; empty where the settings define none. */
  readonly world: string
  readonly namespace: string
  readonly name: string
  /** False where its manifest is not given and other objects only name it. */
  readonly found: boolean
}

/** The rendered Gateways of a query. */
export type RenderResult = {
  readonly gateways: readonly RenderedGateway[]
  /** What was left out, and what nginx rejects, each in one line. */
  readonly notes: readonly string[]
}

/** Renders the Gateways of a query. */
export function queryRender(sources: Iterable<Source>, query: RenderQuery): QueryResult<RenderResult> {
  const { settings, closedWorld, how } = query
  const worlds = worldsOf(sources, { settings, closedWorld })
  const found = findGateways([...worlds.keys()], query)
  if (!found.ok) return found
  const { chosen, others } = found.value
  const rendered = chosen.map(({ queryWorld, gateway }) => ({
    queryWorld,
    gateway,
    ...renderIn(queryWorld, gateway, query),
  }))
  const problem = rendered.flatMap(({ gateway, problems }) =>
    problems.map((text) => `${titleOfGateway(gateway)}: ${text}`),
  )[0]
  const failure = problem ?? unusedUpstream(how.addresses, rendered)
  if (failure !== undefined) return { ok: false, problem: failure }
  return {
    ok: true,
    value: {
      gateways: rendered.map(({ queryWorld, gateway: { namespace, name, view }, files, loops }) => ({
        world: queryWorld.name,
        namespace,
        name,
        found: view !== undefined,
        files,
        loops,
      })),
      notes: [
        ...(rendered.some(({ queryWorld }) => worlds.get(queryWorld) === 'assumed') ? [ASSUMED] : []),
        ...rendered.flatMap(({ queryWorld, gateway }) => omissions(queryWorld, gateway)),
        ...new Set(rendered.flatMap(({ queryWorld, policies }) => rejections(queryWorld, policies, settings))),
        ...others.map(
          (gateway) =>
            `${titleOfGateway(gateway)} is named by other objects, but its manifest was not found; render it with --gateway`,
        ),
      ],
    },
  }
}

/** Where kubectl puts objects that name no namespace, unless its context names one. */
const DEFAULT_NAMESPACE = 'default'

const ASSUMED = `no object names a namespace, so all are rendered as those of "${DEFAULT_NAMESPACE}"; --namespace sets another one`

/**
 * The worlds of the sources, and how the namespaces in them are known. Where no object of a world names one, it is assumed;
 * beside objects that do name one, the others may be anywhere.
 */
function worldsOf(
  given: Iterable<Source>,
  options: Pick<RenderQuery, 'settings' | 'closedWorld'>,
): ReadonlyMap<NamedWorld, 'named' | 'assumed'> {
  const sources = [...given]
  const asWritten = namedWorlds(withNamesOnly(sources), options)
  const isNameless = ({ objects }: NamedWorld) =>
    [...objects.collected.byKind.values()].flat().every(({ view }) => view.identity.namespace === undefined)
  if (!asWritten.some(isNameless)) return new Map(asWritten.map((world) => [world, 'named']))
  const inDefault = namedWorlds(withNamesOnly(sources, DEFAULT_NAMESPACE), options)
  return new Map(
    asWritten.map((world, index) => {
      const assumed = isNameless(world) ? inDefault[index] : undefined
      return assumed ? [assumed, 'assumed'] : [world, 'named']
    }),
  )
}

function renderIn({ world }: NamedWorld, gateway: NamedGateway, { settings, how }: RenderQuery): Rendered {
  const { composition, conflict, platform } = settings
  const { defined, isOpen } = world.variables
  const configured = platform.variables.map((name) => name.replace(/^\$/, '').toLowerCase())
  const options = {
    ...how,
    composition,
    conflict,
    nginxVersion: platform.nginxVersion,
    plus: platform.plus,
    defined: { has: (name: string) => isOpen || defined.has(name) || configured.includes(name) },
  }
  return renderGateway(gateway, world, options)
}

/** A message about an `--upstream` that names no backend, which is most likely misspelt; undefined where all are used. */
function unusedUpstream(
  addresses: ReadonlyMap<string, string>,
  rendered: readonly Pick<Rendered, 'backends' | 'used'>[],
): string | undefined {
  const used = new Set(rendered.flatMap((one) => [...one.used]))
  const unused = [...addresses.keys()].find((name) => !used.has(name))
  if (unused === undefined) return undefined
  const backends = rendered.flatMap((one) => [...one.backends]).sort()
  const meant = nearest(unused, backends.flatMap(spellings))
  const known = backends.length === 0 ? 'there are no backends' : `the backends are ${backends.join(', ')}`
  return `--upstream ${unused}: no route has such a backend; ${meant === undefined ? known : `did you mean ${meant}?`}`
}

/** Every way to name a backend `NAMESPACE/SERVICE:PORT`. */
function spellings(full: string): readonly string[] {
  const withoutPort = full.slice(0, full.lastIndexOf(':'))
  return [withoutPort, full].flatMap((name) => [name.slice(name.indexOf('/') + 1), name])
}

/** Objects that seem to belong to a Gateway or its routes and that are left out, each in one line. */
function omissions({ objects, world }: NamedWorld, gateway: NamedGateway): readonly string[] {
  const routes = objects.routes.filter(({ parents }) => parents.some(({ name }) => name === gateway.name))
  const targets = new Set([
    `Gateway/${gateway.name}`,
    ...routes.map(({ identity: { kind, name } }) => `${kind}/${name}`),
  ])
  const isConcerned = (policy: PolicyView) =>
    policy.targets.some(({ kind, name }) => targets.has(`${kind.value}/${name.value}`))
  const ofPolicies = objects.policies.flatMap(({ view, origin, known }) => {
    const why = known ? whyOmitted(view, isDefinedTwice(view, world)) : 'its apiVersion is not supported'
    return why === undefined || !isConcerned(view)
      ? []
      : [`${origin.source.file}: ${titleOf(view)} is left out: ${why}`]
  })
  const ofRoutes = routes.flatMap((route) => {
    const { kind, namespace, name = '' } = route.identity
    const why = whyOmitted(route, world.routes.get(kind, namespace, name).state !== 'found')
    return why === undefined ? [] : [`${titleOf(route)} is left out: ${why}`]
  })
  return [...new Set([...(objects.partial ? [RENAMED] : []), ...ofRoutes, ...ofPolicies])]
}

/** Policies that are rendered as they are, though nginx or a strict client rejects them, each in one line. */
const rejections = ({ objects }: NamedWorld, policies: readonly PolicyView[], settings: Settings): readonly string[] =>
  [...findInvalid(objects, settings, policies)].map(
    ([policy, invalidity]) => `${titleOf(policy)} is rendered as it is, but ${describeInvalidity(invalidity)}`,
  )

const RENAMED =
  'objects that a kustomization renames are left out; pipe what it builds instead: kustomize build … | sluice render -'

function whyOmitted({ identity }: Pick<PolicyView, 'identity'>, isDouble: boolean): string | undefined {
  if (identity.namespace === undefined) return 'it has no namespace; set one with --namespace'
  if (identity.name === undefined) return 'it has no name'
  return isDouble ? 'it is defined more than once; pass only the paths that belong together' : undefined
}

/** A policy that cannot be found by its own target shares its identity with another. */
function isDefinedTwice(policy: PolicyView, { policies }: NamedWorld['world']): boolean {
  const [target] = policy.namedTargets
  if (!target || policy.identity.name === undefined) return false
  return !policies.targeting(target.kind, policy.identity.namespace, target.name).items.includes(policy)
}
