/** The objects of an installation of the controller. */
import type { JsonObject } from '../json/member.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { fingerprint } from '../text/fingerprint.ts'
import { type ComponentChoices, component, NGINX_FOLDER } from './component.ts'
import { type KubeObject, NAMES } from './object.ts'
import { type Resources, watchedResources, writtenStatuses } from './reviewed.ts'

/** The name of its objects. */
export const CONTROLLER = 'sluice-controller'

/** The choices for the controller. */
export type ControllerChoices = ComponentChoices & {
  /** Ports to serve traffic on, by nginx in the same image; undefined where only statuses are written. */
  readonly nginxPorts?: readonly number[] | undefined
}

/** One Lease for each pair of names, so that controllers of other names work side by side. */
export const leaseName = (controllerName: string, gatewayController: string): string =>
  `${CONTROLLER}-${fingerprint(`${controllerName} ${gatewayController}`)}`

/** All objects, in the order in which they are applied. Without nginx it only calls the API server; nginx may reach any backend. */
export const controllerInstallation = (choices: ControllerChoices): readonly KubeObject[] =>
  component(
    {
      name: CONTROLLER,
      label: 'controller',
      args: ['controller', ...(choices.nginxPorts ? ['--nginx-dir', NGINX_FOLDER] : [])],
      rights: { cluster: clusterRules(choices), namespace: namespaceRules(choices) },
      nginxPorts: choices.nginxPorts,
      connectsAnywhere: (choices.nginxPorts ?? []).length > 0,
      replicas: 2,
    },
    choices,
  )

/** Reads what decides about statuses, writes statuses and nothing else of an object, and Events about them. */
function clusterRules({ apiGroups, nginxPorts }: ControllerChoices): readonly JsonObject[] {
  const names = apiNames(apiGroups)
  const services: readonly Resources[] = nginxPorts ? [{ group: '', versions: ['v1'], resources: ['services'] }] : []
  const rule =
    (verbs: readonly string[]) =>
    ({ group, resources }: Resources) => ({ apiGroups: [group], resources, verbs })
  return [
    ...[...watchedResources(undefined, names), ...services].map(rule(['get', 'list', 'watch'])),
    ...writtenStatuses(undefined, names).map(rule(['patch'])),
    { apiGroups: [''], resources: ['events'], verbs: ['create', 'get', 'patch'] },
  ]
}

/**
 * RBAC cannot narrow `create` by name, nor Leases by which replicas say what their nginx refuses: each has another name. The
 * ConfigMap is read for its uid, when its settings are wrong.
 */
function namespaceRules({ apiGroups, nginxPorts }: ControllerChoices): readonly JsonObject[] {
  const { controllerName } = apiNames(apiGroups)
  const group = 'coordination.k8s.io'
  const own = [leaseName(controllerName, controllerName)]
  return [
    { apiGroups: [group], resources: ['leases'], verbs: ['create'] },
    { apiGroups: [group], resourceNames: own, resources: ['leases'], verbs: ['get', 'update'] },
    ...(nginxPorts ? [{ apiGroups: [group], resources: ['leases'], verbs: ['delete', 'list', 'patch'] }] : []),
    { apiGroups: [''], resourceNames: [NAMES.config], resources: ['configmaps'], verbs: ['get'] },
  ]
}
