import { isObject } from '../../src/json/member.ts'
import { notEnforced } from '../../src/mesh/not-enforced.ts'
import { workloadNotEnforced } from '../../src/mesh/objects/workloads.ts'
import { rule } from '../../src/mesh/rule.ts'
import { meshConfigMap } from './examples.ts'

const TEXT = '{field} is {value}, which the rendered sidecar does not do: {instead}'

/** Where the data plane ends that sluice renders. */
export default rule({
  id: 'mesh/not-enforced',
  severity: 'warning',
  since: '0.2',
  judges: ['ConfigMap', 'Workload'],
  reads: ['names', 'meshConfig', 'meshMtls', 'namespaces'],
  summary:
    'What the configuration of the mesh and its Pods ask for is what the sidecar of "sluice render --sidecar" does.',
  why: 'The sidecar is an open source nginx for plain HTTP. Requests that mutual TLS or access control should refuse are answered, and nobody is told.',
  remedy: 'Say what is so, or switch the rule off where another sidecar runs.',
  source: 'nginx with the configuration of "sluice render --sidecar"',
  messages: {
    asked: { text: TEXT, remedy: '{remedy}, or switch this rule off where another sidecar runs.' },
    demanded: { text: TEXT, remedy: 'Switch this rule off where another sidecar runs.' },
  },
  examples: () => ({
    bad: meshConfigMap({ '/mtls/mode': 'strict', '/loadBalancingMethod': 'least_conn' }),
    good: meshConfigMap({ '/mtls/mode': 'off', '/loadBalancingMethod': 'least_conn' }),
  }),
  check(view, { names, meshConfig, meshMtls, namespaces, report }) {
    if ('pods' in view) {
      const world = { config: meshConfig.current(), names, namespaces }
      for (const { pointer, ...data } of workloadNotEnforced(view, world)) report('asked', pointer, data)
      return
    }
    const { config, pointer = '' } = view.stored ?? {}
    // The settings forbid every other mode.
    for (const { pointer: at, ...data } of isObject(config) ? notEnforced(config) : [])
      report(at === '/mtls/mode' && meshMtls === 'strict' ? 'demanded' : 'asked', pointer, data)
  },
})
