import { rule } from '../../src/gateway/rule.ts'
import { namesOtherNamespace } from '../../src/gateway/objects/policy.ts'
import { lookUpTarget, namespacesOfTarget } from '../../src/gateway/lookups/lookups.ts'
import { manifest, target } from './manifest.ts'
import { shorten } from './words.ts'

/** A reference is looked up in the policy's own namespace and nowhere else: across namespaces it reaches nothing. */
export default rule({
  id: 'gateway/target-namespace',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes'],
  summary: 'A policy lives in the namespace of its targets.',
  why: 'Targets are looked up in the namespace of the policy alone. A target in another namespace is passed over, and nothing is limited there.',
  remedy: 'Put the policy into namespace "{other}".',
  source: 'specification of RateLimitPolicy, "Resources and their fields" (metadata.namespace)',
  messages: {
    named: {
      text: 'the target asks for namespace "{other}", but a policy reaches only its own namespace{own}',
      remedy: 'Put the policy into namespace "{other}", and remove this field.',
    },
    elsewhere: '{kind} "{name}" does not exist in the policy\'s namespace "{namespace}", but in "{other}"',
    'elsewhere-unnamed': {
      text: '{kind} "{name}" does not exist in the policy\'s namespace "{namespace}", but in another one',
      remedy: 'Put the policy into the namespace of its target.',
    },
  },
  denies: { named: 'always', elsewhere: 'in-settled-namespace', 'elsewhere-unnamed': 'in-settled-namespace' },
  examples: {
    bad: manifest({
      targets: ['{ group: gateway.networking.k8s.io, kind: Gateway, name: edge, namespace: infra }'],
    }),
    good: manifest({
      metadata: '{ name: edge, namespace: infra }',
      targets: [target('Gateway', 'edge')],
    }),
  },
  check(policy, context) {
    const { namespace } = policy.identity
    const own = namespace === undefined ? '' : `, "${namespace}"`
    for (const target of policy.targets)
      if (namesOtherNamespace(target, policy.identity))
        context.report('named', target.namespace, { other: shorten(target.namespace.value ?? ''), own })
    for (const { target, kind, name } of policy.namedTargets) {
      if (lookUpTarget(context, kind, namespace, name) !== 'absent') continue
      const [other] = namespacesOfTarget(context, kind, name)
      if (other) context.report('elsewhere', target.name, { kind, name, namespace, other })
      else if (other === '') context.report('elsewhere-unnamed', target.name, { kind, name, namespace })
    }
  },
})
