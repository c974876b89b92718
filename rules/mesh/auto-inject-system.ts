import { isObject } from '../../src/json/member.ts'
import { SYSTEM_NAMESPACE } from '../../src/mesh/decide-injection.ts'
import {
  autoInjectLabel,
  keyed,
  type LabelledNamespaceView,
  type WorkloadView,
} from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'

const namespace = (name: string): string => `apiVersion: v1
kind: Namespace
metadata:
  name: ${name}
  labels: { injector.nsm.nginx.com/auto-inject: enabled }
`

/** Nothing of kube-system gets the sidecar. */
export default rule({
  id: 'mesh/auto-inject-system',
  severity: 'warning',
  since: '0.2',
  judges: ['LabelledNamespace', 'Workload', 'ConfigMap'],
  reads: ['names'],
  summary: 'Injection is not asked for in kube-system.',
  why: 'Without the Pods of kube-system there is no cluster, so the mesh never adds its sidecar to them: whoever asks for it expects an encryption that does not happen.',
  remedy: 'Remove what asks for it.',
  source: 'specification of the mesh management API, inject',
  messages: {
    label: {
      text: 'the label asks for the sidecar in kube-system, where the mesh never adds it',
      remedy: 'Remove the label.',
    },
    listed: {
      text: 'injection.enabledNamespaces names kube-system, where the mesh never adds its sidecar',
      remedy: 'Remove kube-system from the list.',
    },
  },
  examples: () => ({ bad: namespace('kube-system'), good: namespace('shop') }),
  check(view, { names, report }) {
    if ('stored' in view) {
      const { config, pointer = '' } = view.stored ?? {}
      const lists = isObject(config)
        ? [config.enabledNamespaces, isObject(config.injection) ? config.injection.enabledNamespaces : undefined]
        : []
      if (lists.some((list) => Array.isArray(list) && list.includes(SYSTEM_NAMESPACE))) report('listed', pointer)
      return
    }
    const name = 'workload' in view ? undefined : view.identity.name
    if (view.identity.namespace !== SYSTEM_NAMESPACE && name !== SYSTEM_NAMESPACE) return
    for (const labels of labelsOf(view)) {
      const label = keyed(labels, autoInjectLabel(names))
      if (label.value === 'enabled') report('label', label)
    }
  },
})

const labelsOf = (view: LabelledNamespaceView | WorkloadView) =>
  'labelMember' in view ? [view.labelMember] : view.pods.map(({ labels }) => labels)
