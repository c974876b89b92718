import { readPorts } from '../../src/mesh/inject/ports.ts'
import { meshKeys } from '../../src/mesh/inject/settings.ts'
import { keyed } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { describeValue } from '../describe.ts'
import { meshDeployment } from './examples.ts'

/** The annotations with ports that the sidecar leaves alone. */
export default rule({
  id: 'mesh/annotation-ports',
  severity: 'error',
  since: '0.2',
  judges: 'Workload',
  reads: ['names'],
  summary: 'The annotations ignore-incoming-ports and ignore-outgoing-ports name ports, each once.',
  why: 'The mesh does not add its sidecar to a Pod whose annotation it cannot read: it refuses the Pod, or starts it outside of the mesh.',
  remedy: 'Write ports from 1 to 65535 with commas between them, such as "8080,9090".',
  source: 'specification of the mesh management API, annotations of Pods',
  messages: {
    port: {
      text: '{problem}',
      remedy: 'Write the numbers of ports with commas between them, such as 8080,9090 in quotes.',
    },
    type: {
      text: 'an annotation is a string, and this is {actual}',
      remedy: 'Write it in quotes, with commas between the ports.',
    },
    twice: { text: 'port {port} is named twice', remedy: 'Write "{ports}".' },
  },
  examples: () => ({
    bad: meshDeployment({ annotations: ['config.nsm.nginx.com/ignore-incoming-ports: "8080-8090"'] }),
    good: meshDeployment({ annotations: ['config.nsm.nginx.com/ignore-incoming-ports: "8081,8090"'] }),
  }),
  check({ pods }, { names, report }) {
    const keys = (['incoming', 'outgoing'] as const).map((direction) => meshKeys(names).ignorePorts(direction))
    for (const written of pods.flatMap(({ annotations }) => keys.map((key) => keyed(annotations, key)))) {
      if (written.raw === undefined) continue
      if (written.value === undefined) {
        report('type', written, { actual: describeValue(written.raw) })
        continue
      }
      const list = readPorts([written.value])
      if ('problem' in list) {
        report('port', written, { problem: list.problem })
        continue
      }
      const ports = list.ports.filter((port) => countOf(written.value, port) > 1)
      if (ports.length > 0) report('twice', written, { port: ports[0], ports: list.ports.join(',') })
    }
  },
})

const countOf = (text = '', port: number): number => text.split(',').filter((part) => Number(part) === port).length
