/** Worlds as they would be after a change: the stored world, with one object of it another one. */

import type { GatewayView, RouteView } from '../../gateway/objects/gateways-and-routes.ts'
import type { PolicyView } from '../../gateway/objects/policy.ts'
import { namesGateway } from '../../gateway/routing/attachment.ts'
import { ABSENT, type Answer, found, type Known } from '../../world/lookup.ts'
import type { World } from '../../world/world.ts'

/** One object before and after; undefined where there is none. */
export type Change<View> = { readonly before: View | undefined; readonly after: View | undefined }

type Identified = {
  readonly identity: {
    readonly kind: string
    readonly namespace: string | undefined
    readonly name: string | undefined
  }
}

/** True where two views are of one object. */
const sameObject = ({ identity: a }: Identified, { identity: b }: Identified): boolean =>
  a.name !== undefined && a.kind === b.kind && a.namespace === b.namespace && a.name === b.name

/** Asks once for each key: rules keep what they derive from a list beside that list. */
function remember<Key, Value>(): (key: Key, make: () => Value) => Value {
  const known = new Map<Key, Value>()
  return (key, make) => {
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const value = make()
    known.set(key, value)
    return value
  }
}

/** The list with one object as it will be; the very same list where the object is not and will not be in it. */
function replaced<View extends Identified>(
  { items, complete }: Known<View>,
  changed: View,
  belongs: boolean,
): Known<View> {
  const index = items.findIndex((item) => sameObject(item, changed))
  if (index < 0) return { items: belongs ? [...items, changed] : items, complete }
  return { items: items.toSpliced(index, 1, ...(belongs ? [changed] : [])), complete }
}

/** The world in which a policy is as it is about to be written. */
export function withPolicy(world: World, policy: PolicyView): World {
  const { policies } = world
  const listOnce = remember<object, Known<PolicyView>>()
  return {
    ...world,
    policies: {
      ...policies,
      targeting(kind, namespace, name) {
        const stored = policies.targeting(kind, namespace, name)
        if (namespace !== policy.identity.namespace) return stored
        const target = policy.namedTargets.find((one) => one.kind === kind && one.name === name)
        return listOnce(target ?? stored.items, () => replaced(stored, policy, target !== undefined))
      },
    },
  }
}

/** The world in which a Gateway is as it will be, or gone. */
export function withGateway(world: World, { before, after }: Change<GatewayView>): World {
  const changed = after ?? before
  if (!changed) return world
  const listOnce = remember<string, Known<RouteView>>()
  const { identity } = changed
  const isIt = (namespace: string | undefined, name: string) =>
    namespace === identity.namespace && name === identity.name
  return {
    ...world,
    gateways: {
      ...world.gateways,
      get: (namespace, name) => (isIt(namespace, name) ? answer(after) : world.gateways.get(namespace, name)),
      namespacesOf: (name) => housed(world.gateways.namespacesOf(name), identity, name, after !== undefined),
      namesIn: (namespace) => named(world.gateways.namesIn(namespace), identity, namespace, after !== undefined),
    },
    routes: {
      ...world.routes,
      attachedTo: (gateway) =>
        listOnce(`${gateway.identity.namespace}/${gateway.identity.name}`, () => {
          const { items, complete } = world.routes.attachedTo(gateway)
          return sameObject(gateway, changed) ? { items: [...items], complete } : { items, complete }
        }),
    },
  }
}

/** The world in which a route is as it will be, or gone. */
export function withRoute(world: World, { before, after }: Change<RouteView>): World {
  const changed = after ?? before
  if (!changed) return world
  const { identity } = changed
  const listOnce = remember<string, Known<RouteView>>()
  const isIt = (kind: string, namespace: string | undefined, name: string) =>
    kind === identity.kind && namespace === identity.namespace && name === identity.name
  const names = ({ identity: { namespace, name } }: GatewayView, parent: RouteView['parents'][number]) =>
    namesGateway(parent) && parent.name === name && (parent.namespace ?? identity.namespace) === namespace
  return {
    ...world,
    routes: {
      ...world.routes,
      get: (kind, namespace, name) =>
        isIt(kind, namespace, name) ? answer(after) : world.routes.get(kind, namespace, name),
      namespacesOf: (kind, name) => {
        const known = world.routes.namespacesOf(kind, name)
        return kind === identity.kind ? housed(known, identity, name, after !== undefined) : known
      },
      namesIn: (kind, namespace) => {
        const known = world.routes.namesIn(kind, namespace)
        return kind === identity.kind ? named(known, identity, namespace, after !== undefined) : known
      },
      attachedTo: (gateway) =>
        listOnce(`${gateway.identity.namespace}/${gateway.identity.name}`, () => {
          const belongs = after?.parents.some((parent) => names(gateway, parent)) ?? false
          return replaced(world.routes.attachedTo(gateway), changed, belongs)
        }),
    },
  }
}

const answer = <View>(view: View | undefined): Answer<View> => (view ? found(view) : ABSENT)

/** The namespaces that hold an object of a name, after a change of one. */
function housed(
  namespaces: readonly string[],
  { namespace, name: own }: Identified['identity'],
  name: string,
  isThere: boolean,
): readonly string[] {
  if (name !== own || namespace === undefined) return namespaces
  const others = namespaces.filter((other) => other !== namespace)
  return isThere ? [...others, namespace] : others
}

/** The names of the objects in a namespace, after a change of one. */
function named(
  names: readonly string[],
  { namespace: own, name }: Identified['identity'],
  namespace: string | undefined,
  isThere: boolean,
): readonly string[] {
  if (namespace !== own || name === undefined) return names
  const others = names.filter((other) => other !== name)
  return isThere ? [...others, name] : others
}

/** The world as one tenant may hear of it: that an object is elsewhere, and not where. */
export const withoutOtherTenants = (world: World): World => ({
  ...world,
  gateways: { ...world.gateways, namespacesOf: (name) => world.gateways.namespacesOf(name).map(() => '') },
  routes: { ...world.routes, namespacesOf: (kind, name) => world.routes.namespacesOf(kind, name).map(() => '') },
})
