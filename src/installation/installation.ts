/** All objects of an installation. The manifests, the chart and `sluice manifests` are generated from them. */
import { access } from './access.ts'
import { certificates } from './cert-manager.ts'
import { config, disruptionBudget, namespaceObject, networkPolicy, service, serviceMonitor } from './cluster-objects.ts'
import type { Choices, KubeObject } from './object.ts'
import { webhookConfigurations } from './webhooks.ts'
import { deployment } from './workload.ts'

/** All objects, in the order in which they are applied: the server comes before the configurations that name it. */
export function installation(choices: Choices): readonly KubeObject[] {
  const { components } = choices
  return [
    namespaceObject(choices),
    ...access(choices),
    config(choices),
    ...(components.has('cert-manager') ? certificates(choices) : []),
    service(choices),
    networkPolicy(choices),
    ...(components.has('single-node') ? [] : [disruptionBudget(choices)]),
    deployment(choices),
    ...(components.has('service-monitor') ? [serviceMonitor(choices)] : []),
    ...webhookConfigurations(choices),
  ]
}
