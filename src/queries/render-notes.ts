/** What a rendered configuration lacks because nobody can say whom it is for. */

import type { PolicyView, TargetView } from '../gateway/objects/policy.ts'
import { titleOf } from '../gateway/render/files.ts'
import type { NamedGateway } from '../gateway/render/listeners.ts'
import type { GatewaySight } from './pick-gateways.ts'

/** Objects that seem to be for a Gateway or its routes, and cannot be counted. Each note is one line. */
export function sightNotes({ harvest, world }: GatewaySight, gateway: NamedGateway): readonly string[] {
  const routes = harvest.routes.filter(({ parents }) => parents.some(({ name }) => name === gateway.name))
  const names = new Set([`Gateway/${gateway.name}`, ...routes.map(({ identity: { kind, name } }) => `${kind}/${name}`)])
  const isConcerned = ({ targets }: PolicyView) => targets.some((target) => names.has(nameOf(target)))
  const ofPolicies = harvest.policies.flatMap(({ view, origin, known }) => {
    const why = known ? unknownIdentity(view, isTwice(view, world)) : 'its apiVersion is not known here'
    return why === undefined || origin.source.renamed || !isConcerned(view)
      ? []
      : [leftOut(view, why, origin.source.file)]
  })
  const ofRoutes = routes.flatMap((route) => {
    const { kind, namespace, name = '' } = route.identity
    const why = unknownIdentity(route, world.routes.get(kind, namespace, name).state !== 'found')
    return why === undefined ? [] : [leftOut(route, why)]
  })
  return [...new Set([...(harvest.partial ? [RENAMED] : []), ...ofRoutes, ...ofPolicies])]
}

const RENAMED =
  'objects that a kustomization gives other names are left out; pipe what it builds: kustomize build … | sluice render -'

const leftOut = (view: Pick<PolicyView, 'identity'>, why: string, file?: string): string =>
  `${file === undefined ? '' : `${file}: `}${titleOf(view)} is left out: ${why}`

/** Why nobody can say which object this will be. */
function unknownIdentity({ identity }: Pick<PolicyView, 'identity'>, isDouble: boolean): string | undefined {
  if (identity.namespace === undefined) return 'it names no namespace, and --namespace gives none'
  return isDouble ? 'it stands more than once; name the paths of one' : undefined
}

const nameOf = ({ kind, name }: TargetView): string => `${kind.value}/${name.value}`

/** A policy that cannot be found by its own target: its identity is not its own. */
function isTwice(policy: PolicyView, { policies }: GatewaySight['world']): boolean {
  const [target] = policy.namedTargets
  if (!target || policy.identity.name === undefined) return false
  return !policies.targeting(target.kind, policy.identity.namespace, target.name).items.includes(policy)
}
