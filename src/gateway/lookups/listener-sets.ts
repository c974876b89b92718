/** ListenerSets: objects that add listeners to a Gateway. Source: Gateway API, ListenerSet (GEP-1713). */
import type { JsonObject } from '../../json/member.ts'
import { readMetadata } from '../../kubernetes/metadata.ts'
import { compareText } from '../../text/order.ts'
import { cachedByThree, cachedByTwo, lazily } from '../../world/cache.ts'
import type { Namespace } from '../../world/identities.ts'
import type { Lookup } from '../../world/lookup.ts'
import { NAMESPACES } from '../../world/namespaces.ts'
import type { Grouping, ObjectsByKind } from '../../world/objects.ts'
import {
  type GatewayView,
  type ListenerSetKind,
  type ListenerSetView,
  type ListenerView,
  readListenerSet,
} from '../objects/gateways-and-routes.ts'
import { isAllowed, labelsFor, namesGateway } from '../routing/attachment.ts'
import type { NamespaceLookup } from './lookups.ts'

/** ListenerSets as lookups read them. */
export const LISTENER_SET = {
  kind: 'ListenerSet',
  read: (object: JsonObject, namespace?: string): ListenerSetView => readListenerSet('ListenerSet', object, namespace),
} as const

/** Experimental ListenerSets as lookups read them. */
export const X_LISTENER_SET = {
  kind: 'XListenerSet',
  read: (object: JsonObject, namespace?: string): ListenerSetView => readListenerSet('XListenerSet', object, namespace),
} as const

/** What ListenerSets add to Gateways. */
type ListenerSets = {
  readonly isEmpty: boolean
  get(kind: ListenerSetKind, namespace: Namespace, name: string): Lookup<ListenerSetView>
  /** The Gateway with the listeners of its sets, and the sets that it refuses; the same object each time. */
  merge(gateway: GatewayView): GatewayView
}

/** ListenerSets by the Gateway that they name. */
const BY_GATEWAY: Grouping<ListenerSetView> = {
  isOwn: false,
  keysOf: ({ parent, identity }) =>
    parent && namesGateway(parent)
      ? [{ kind: 'Gateway', namespace: parent.namespace ?? identity.namespace, name: parent.name }]
      : [],
}

/** Finds the sets of Gateways; those with an identity that appears twice are left out. */
export function listenerSets(objects: ObjectsByKind): ListenerSets {
  const [sets, others] = [objects.of(LISTENER_SET), objects.of(X_LISTENER_SET)]
  const namespaces = lazily(() => NAMESPACES.make(objects))
  const isEmpty = sets.isEmpty && others.isEmpty
  return {
    isEmpty,
    get: (kind, namespace, name) => (kind === 'ListenerSet' ? sets : others).index().get(kind, namespace, name),
    merge(gateway) {
      const { namespace, name } = gateway.identity
      if (isEmpty || namespace === undefined) return gateway
      const own = sets.by(BY_GATEWAY).at('Gateway', namespace, name) ?? NONE
      const more = others.by(BY_GATEWAY).at('Gateway', namespace, name) ?? NONE
      if (own.length + more.length === 0) return gateway
      return merged(labelsFor([gateway.allowedSets], namespaces()), gateway, sorted(own, more))
    },
  }
}

const NONE: readonly never[] = []

const sorted = cachedByTwo((own: readonly ListenerSetView[], more: readonly ListenerSetView[]) =>
  [...own, ...more].sort(byAge),
)

/** A Gateway with what the sets that name it add, the oldest first. */
const merged = cachedByThree(
  (namespaces: NamespaceLookup, gateway: GatewayView, naming: readonly ListenerSetView[]): GatewayView => {
    const allows = ({ identity }: ListenerSetView): boolean | undefined =>
      identity.namespace === undefined
        ? false
        : isAllowed(gateway.allowedSets, identity.namespace, gateway.identity.namespace, namespaces)
    const added = naming.filter((set) => allows(set) !== false)
    const addedBy = (set: ListenerSetView): readonly ListenerView[] => {
      const rivals = added.filter((other) => other !== set && !isCertainlyOlder(set, other))
      const before = [gateway, ...rivals].flatMap((other) => other.listeners)
      return set.listeners.map((listener) => ({
        ...listener,
        set: set.identity,
        isUncertain: allows(set) !== true || before.some((other) => conflict(other, listener)),
      }))
    }
    return {
      ...gateway,
      listeners: [...gateway.listeners, ...added.flatMap(addedBy)],
      sets: added.map(({ identity }) => identity),
      refusedSets: naming.filter((set) => !added.includes(set)).map(({ identity }) => identity),
    }
  },
)

const createdAt = ({ object }: ListenerSetView): string => readMetadata(object).creationTimestamp.value ?? ''

const byAge = (a: ListenerSetView, b: ListenerSetView): number =>
  compareText(createdAt(a), createdAt(b)) ||
  compareText(`${a.identity.namespace}/${a.identity.name}`, `${b.identity.namespace}/${b.identity.name}`)

/** Manifests do not say when they are applied. */
const isCertainlyOlder = (a: ListenerSetView, b: ListenerSetView): boolean =>
  createdAt(a) !== '' && createdAt(b) !== '' && createdAt(a) < createdAt(b)

/** Of two listeners that conflict the Gateway keeps one: its own, else the one of the older set. */
const conflict = (a: ListenerView, b: ListenerView): boolean =>
  a.port === b.port && (a.protocol !== b.protocol || (a.hostname ?? '') === (b.hostname ?? ''))
