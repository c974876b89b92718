/** ListenerSets: objects that add listeners to a Gateway. Source: Gateway API, ListenerSet (GEP-1713). */
import type { JsonObject } from '../../json/member.ts'
import { readMetadata } from '../../kubernetes/metadata.ts'
import { compareText } from '../../text/order.ts'
import { cachedBy, lazily } from '../../world/cache.ts'
import type { Namespace } from '../../world/identities.ts'
import type { Lookup } from '../../world/lookup.ts'
import { NAMESPACES } from '../../world/namespaces.ts'
import type { ObjectsByKind } from '../../world/objects.ts'
import {
  type GatewayView,
  type ListenerSetKind,
  type ListenerSetView,
  type ListenerView,
  readListenerSet,
} from '../objects/gateways-and-routes.ts'
import { isAllowed, namesGateway } from '../routing/attachment.ts'

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

/** Finds the sets of Gateways; those with an identity that appears twice are left out. */
export function listenerSets(objects: ObjectsByKind): ListenerSets {
  const known = [objects.of(LISTENER_SET), objects.of(X_LISTENER_SET)]
  const namespaces = lazily(() => NAMESPACES.make(objects))
  const unique = lazily(() => known.flatMap(({ index }) => index().unique).sort(byAge))
  const isEmpty = known.every(({ all }) => all().length === 0)
  const allows = ({ allowedSets, identity }: GatewayView, set: ListenerSetView): boolean | undefined =>
    set.identity.namespace === undefined
      ? false
      : isAllowed(allowedSets, set.identity.namespace, identity.namespace, namespaces())
  return {
    isEmpty,
    get: (kind, namespace, name) =>
      objects
        .of(kind === 'ListenerSet' ? LISTENER_SET : X_LISTENER_SET)
        .index()
        .get(kind, namespace, name),
    merge: cachedBy((gateway: GatewayView) => {
      const naming = isEmpty ? [] : unique().filter((set) => names(set, gateway))
      if (naming.length === 0) return gateway
      const added = naming.filter((set) => allows(gateway, set) !== false)
      const addedBy = (set: ListenerSetView): readonly ListenerView[] => {
        const rivals = added.filter((other) => other !== set && !isCertainlyOlder(set, other))
        const before = [gateway, ...rivals].flatMap((other) => other.listeners)
        return set.listeners.map((listener) => ({
          ...listener,
          set: set.identity,
          isUncertain: allows(gateway, set) !== true || before.some((other) => conflict(other, listener)),
        }))
      }
      return {
        ...gateway,
        listeners: [...gateway.listeners, ...added.flatMap(addedBy)],
        sets: added.map(({ identity }) => identity),
        refusedSets: naming.filter((set) => !added.includes(set)).map(({ identity }) => identity),
      }
    }),
  }
}

function names({ parent, identity }: ListenerSetView, { identity: { namespace, name } }: GatewayView): boolean {
  return (
    parent !== undefined &&
    namesGateway(parent) &&
    parent.name === name &&
    namespace !== undefined &&
    (parent.namespace ?? identity.namespace) === namespace
  )
}

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
