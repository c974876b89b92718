import { knownNamespace } from '../../src/kubernetes/metadata.ts'
import { forbiddenBy } from '../../src/mesh/inject/left-alone.ts'
import { wantedWorkloads } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshDeployment } from './examples.ts'

const namespace = (level: string): string => `---
apiVersion: v1
kind: Namespace
metadata: { name: shop, labels: { pod-security.kubernetes.io/enforce: ${level} } }
`

/** A namespace whose Pods are to be in the mesh takes them. */
export default rule({
  id: 'mesh/pod-security',
  severity: 'warning',
  since: '0.2',
  judges: 'Workload',
  reads: ['names', 'meshConfig', 'namespaces', 'meshRedirect', 'meshSocket'],
  summary: 'The Pod Security level of a namespace allows what the mesh adds to its Pods.',
  why: 'The levels baseline and restricted forbid an init container that redirects traffic, and volumes of the node: the mesh leaves Pods there without its sidecar.',
  remedy: 'Set meshRedirect to cni or none and meshSocket to csi, or allow the level privileged in the namespace.',
  source: 'Kubernetes, Pod Security Standards',
  messages: {
    forbidden: {
      text: '{reason}: the Pod is left without its sidecar',
      remedy:
        'Write meshRedirect: cni and meshSocket: csi in the settings, if the cluster has both, or ask for no sidecar.',
    },
  },
  examples: () => ({
    bad: meshDeployment({}) + namespace('restricted'),
    good: meshDeployment({}) + namespace('privileged'),
  }),
  check(view, { names, meshConfig, namespaces, meshRedirect, meshSocket, report }) {
    const wanted = wantedWorkloads(view, { config: meshConfig.current(), names, namespaces })
    if (wanted.length === 0) return
    const labels = namespaces.labels(knownNamespace(view.identity.namespace) ?? '')
    const forbidden = labels.state === 'found' ? forbiddenBy(labels.value, { meshRedirect, meshSocket }) : undefined
    if (forbidden) report('forbidden', '/metadata/namespace', { reason: forbidden.message })
  },
})
