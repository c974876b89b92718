/** What a rendered configuration lacks because nobody can say whom it is for. */

import { namedTargets } from '../gateway/named-targets.ts'
import type { PolicyView, TargetView } from '../gateway/policy.ts'
import type { NamedGateway } from '../gateway/render/gateways.ts'
import { titleOf } from '../gateway/render/policy-files.ts'
import type { GatewaySight } from './pick-gateways.ts'

/** Policies that seem to be for a Gateway or its routes, and cannot be counted. Each note is one line. */
export function sightNotes({ harvest, world }: GatewaySight, gateway: NamedGateway): readonly string[] {
  const routes = harvest.routes.filter(({ parents }) => parents.some(({ name }) => name === gateway.name))
  const names = new Set([`Gateway/${gateway.name}`, ...routes.map(({ identity: { kind, name } }) => `${kind}/${name}`)])
  const isConcerned = ({ targets }: PolicyView) => targets.some((target) => names.has(nameOf(target)))
  const notes = harvest.policies.flatMap(({ view, origin, known }) => {
    if (!isConcerned(view)) return []
    const begin = `${origin.source.file}: ${titleOf(view)} is left out`
    if (!known) return [`${begin}: its apiVersion is not known here`]
    if (origin.source.renamed)
      return [`${begin}: it gets another name on its way to the cluster; pipe what kustomize builds`]
    if (view.identity.namespace === undefined) return [`${begin}: it names no namespace, and --namespace gives none`]
    return isTwice(view, world) ? [`${begin}: it stands more than once; name the paths of one`] : []
  })
  return [...new Set(notes)]
}

const nameOf = ({ kind, name }: TargetView): string => `${kind.value}/${name.value}`

/** A policy that cannot be found by its own target: its identity is not its own. */
function isTwice(policy: PolicyView, { policies }: GatewaySight['world']): boolean {
  const [target] = namedTargets(policy)
  if (!target || policy.identity.name === undefined) return false
  return !policies.targeting(target.kind, policy.identity.namespace, target.name).items.includes(policy)
}
