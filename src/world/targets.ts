/** Look-ups of what a policy's target names, whatever its kind. */
import { isRouteKind, TARGET_KINDS, type TargetKind } from '../gateway/objects/policy.ts'
import type { Answer } from './lookup.ts'
import type { Gateways, Namespace, Routes } from './world.ts'

type Objects = { readonly gateways: Gateways; readonly routes: Routes }

/** Whether the object is there. */
export const lookUpTarget = (
  { gateways, routes }: Objects,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): Answer<unknown>['state'] =>
  (isRouteKind(kind) ? routes.get(kind, namespace, name) : gateways.get(namespace, name)).state

/** The namespaces in which an object of that kind and name is known to exist. */
export const namespacesOfTarget = ({ gateways, routes }: Objects, kind: TargetKind, name: string): readonly string[] =>
  isRouteKind(kind) ? routes.namespacesOf(kind, name) : gateways.namespacesOf(name)

/** The names of the objects of that kind in a namespace. */
export const targetNamesIn = (
  { gateways, routes }: Objects,
  kind: TargetKind,
  namespace: Namespace,
): readonly string[] => (isRouteKind(kind) ? routes.namesIn(kind, namespace) : gateways.namesIn(namespace))

/** Another kind under which an object of that name is there. */
export const otherKindOf = (
  objects: Objects,
  kind: TargetKind,
  namespace: Namespace,
  name: string,
): TargetKind | undefined =>
  TARGET_KINDS.find((other) => other !== kind && lookUpTarget(objects, other, namespace, name) === 'found')
