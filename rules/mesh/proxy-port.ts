import { portConflicts } from '../../src/mesh/inject/left-alone.ts'
import { podSettings } from '../../src/mesh/inject/settings.ts'
import { wantedWorkloads } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshDeployment } from './examples.ts'

/** No container listens where the sidecar does. */
export default rule({
  id: 'mesh/proxy-port',
  severity: 'warning',
  since: '0.2',
  judges: 'Workload',
  reads: ['names', 'meshConfig', 'namespaces'],
  summary: 'No container of a Pod in the mesh has a port of the sidecar.',
  why: 'The containers of a Pod share its ports, so only one of the two could listen: the mesh leaves the Pod without its sidecar.',
  remedy: 'Give the container another port, or the sidecar (proxy.ports of the mesh).',
  source: 'OpenAPI document of the mesh management API, proxy.ports',
  messages: {
    taken: {
      text: '{reason}: the Pod is left without its sidecar',
      remedy: 'Give this container another port.',
    },
  },
  examples: () => ({
    bad: meshDeployment({ ports: ['{ containerPort: 8888 }'] }),
    good: meshDeployment({ ports: ['{ containerPort: 8080 }'] }),
  }),
  check(view, { names, meshConfig, namespaces, report }) {
    const config = meshConfig.current()
    const { mesh } = podSettings(config ?? {}, names)
    for (const workload of wantedWorkloads(view, { config, names, namespaces }))
      for (const { pointer, message } of portConflicts(workload, mesh)) report('taken', pointer, { reason: message })
  },
})
