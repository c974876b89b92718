import { valueAt } from '../../src/json/pointer.ts'
import { isPort } from '../../src/mesh/config-fields.ts'
import { injectionFaults } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshDeployment } from './examples.ts'

/** The ports of a Pod are ones that the sidecar can take. */
export default rule({
  id: 'mesh/workload-ports',
  severity: 'error',
  since: '0.2',
  judges: 'Workload',
  reads: ['names', 'meshConfig', 'namespaces'],
  summary: 'The containers of a Pod in the mesh use TCP or UDP, and each port once.',
  why: 'The sidecar takes the connections of a Pod by their ports. It knows no SCTP, and cannot tell apart two containers with one port: the mesh does not add it.',
  remedy: 'Use TCP or UDP, and a port of its own for each container.',
  source: 'specification of the mesh management API, inject',
  messages: {
    sctp: { text: 'the mesh does not support SCTP', remedy: 'Write "TCP", or leave the Pod out of the mesh.' },
    twice: { text: '{reason}', remedy: 'Give this container another port.' },
  },
  examples: () => ({
    bad: meshDeployment({ ports: ['{ containerPort: 8080 }', '{ containerPort: 8080, protocol: UDP }'] }),
    good: meshDeployment({ ports: ['{ containerPort: 8080 }', '{ containerPort: 8081, protocol: UDP }'] }),
  }),
  check(view, { names, meshConfig, namespaces, report }) {
    for (const { pointer, message } of injectionFaults(view, { config: meshConfig.current(), names, namespaces }))
      if (/\/ports\/\d+\/protocol$/.test(pointer)) report('sctp', pointer)
      // The API server refuses what is no port.
      else if (/\/ports\/\d+\/containerPort$/.test(pointer) && isPort(valueAt(view.object, pointer)))
        report('twice', pointer, { reason: message })
  },
})
