import { rule } from '../../src/gateway/rule.ts'
import { shorten } from '../describe.ts'
import { gateway, manifest } from './manifest.ts'

/** kubectl applies one after the other: the last one stays, without a message. */
export default rule({
  id: 'gateway/duplicate-object',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['definitions'],
  since: '0.2',
  summary: 'A policy, and each of its targets, is defined only once.',
  why: 'kubectl applies one definition after the other: the last one overwrites the others without a message, and kustomize refuses to build both. The limits of the other definition are never enforced.',
  remedy: 'Remove one of the definitions, or give this object another name.',
  source: 'kubectl apply; kustomize, resource ids',
  messages: {
    policy: '{kind} "{name}" is already defined {where}: the definition that is applied last overwrites the other',
    built:
      '{kind} "{name}" is already defined {where}: kustomize refuses to build both, so nothing of this kustomization is deployed',
    target: {
      text: '{kind} "{name}" is defined more than once: at most one of the definitions takes effect',
      remedy: 'Remove all definitions of {kind} "{name}" but one.',
    },
  },
  cel: 'it compares definitions in files, and a cluster has only one object of a name',
  examples: () => ({
    bad: manifest({ beside: [manifest({ limits: ['{ key: $binary_remote_addr, rate: 5r/s, zoneSize: 10m }'] })] }),
    good: manifest({ beside: [manifest({ metadata: '{ name: tea, namespace: shop }' }), gateway('shop')] }),
  }),
  check(policy, { definitions, report }) {
    const { kind, namespace, name = '' } = policy.identity
    const earlier = definitions.earlier(policy)
    const where = earlier?.isSameFile ? 'in this file' : `in ${earlier?.file}`
    if (earlier)
      report(earlier.isSameBuild ? 'built' : 'policy', policy.metadata.name, { kind, name: shorten(name), where })
    for (const target of policy.namedTargets)
      if (definitions.isRepeated(target.kind, namespace, target.name))
        report('target', target.target.name, { kind: target.kind, name: shorten(target.name) })
  },
})
