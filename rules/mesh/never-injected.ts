import { windowsObstacle } from '../../src/mesh/inject/left-alone.ts'
import { readAt } from '../../src/mesh/inject/workload.ts'
import { autoInjectLabel, keyed } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshDeployment } from './examples.ts'

/** The label asks for a sidecar only where there can be one. */
export default rule({
  id: 'mesh/never-injected',
  severity: 'warning',
  since: '0.2',
  judges: 'Workload',
  reads: ['names'],
  summary: 'The sidecar is not asked for by a Pod for Windows, or one with hostNetwork.',
  why: 'There is no sidecar for Windows, and in the network of a node it would take the traffic of all: whoever asks for it expects an encryption that does not happen.',
  remedy: 'Remove the label, or what makes the sidecar impossible.',
  source: 'specification of the mesh management API, inject',
  messages: {
    windows: {
      text: 'the label asks for the sidecar in a Pod for Windows, which never gets it',
      remedy: 'Remove the label.',
    },
    network: {
      text: 'the label asks for the sidecar in a Pod with hostNetwork, which never gets it',
      remedy: 'Remove the label.',
    },
  },
  examples: () => ({
    bad: meshDeployment({ spec: ['hostNetwork: true'] }),
    good: meshDeployment({ spec: ['hostNetwork: false'] }),
  }),
  check({ workload, labels }, { names, report }) {
    const label = keyed(labels, autoInjectLabel(names))
    if (!workload || label.value !== 'enabled') return
    if (readAt(workload, `${workload.pod}/spec/hostNetwork`) === true) report('network', label)
    else if (windowsObstacle(workload)) report('windows', label)
  },
})
