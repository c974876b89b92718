/** The Gateways that there are to render: those in sight, and those that others merely name. */

import type { GatewayView, RouteView } from '../objects/gateways-and-routes.ts'
import type { PolicyView } from '../objects/policy.ts'
import { namesGateway } from '../routing/attachment.ts'

/** A Gateway by name; `view` is undefined where nobody has seen it. */
export type NamedGateway = {
  readonly namespace: string
  readonly name: string
  readonly view: GatewayView | undefined
}

/** A Gateway as messages name it: `Gateway shop/storefront`. */
export const titleOfGateway = ({ namespace, name }: Pick<NamedGateway, 'namespace' | 'name'>): string =>
  `Gateway ${namespace}/${name}`

/** Where Gateways are, and where they are named. */
export type Objects = {
  readonly gateways: readonly GatewayView[]
  readonly routes: readonly RouteView[]
  readonly policies: readonly PolicyView[]
}

/** The Gateways of some objects, in order of namespace and name. One without a namespace is none that can be named. */
export function gatewaysIn({ gateways, routes, policies }: Objects): readonly NamedGateway[] {
  const found = new Map<string, NamedGateway>()
  const add = (namespace: string | undefined, name: string | undefined, view?: GatewayView) => {
    if (namespace === undefined || name === undefined) return
    const key = `${namespace}/${name}`
    if (!found.has(key)) found.set(key, { namespace, name, view })
  }
  for (const view of gateways) add(view.identity.namespace, view.identity.name, view)
  for (const policy of policies)
    for (const { kind, name } of policy.namedTargets) if (kind === 'Gateway') add(policy.identity.namespace, name)
  for (const { identity, parents } of routes)
    for (const parent of parents.filter(namesGateway)) add(parent.namespace ?? identity.namespace, parent.name)
  return [...found.values()].sort(byName)
}

type Named = { readonly namespace?: string | undefined; readonly name?: string | undefined }

/** Order of namespaces, then of names. */
export const byName = (a: Named, b: Named): number =>
  compareTexts(a.namespace ?? '', b.namespace ?? '') || compareTexts(a.name ?? '', b.name ?? '')

/** Order of texts by their code units, the same everywhere. */
export const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
