import { lookUpTarget, namespacesOfTarget } from '../../src/gateway/lookups/lookups.ts'
import { prunedNamespaces } from '../../src/gateway/objects/last-applied.ts'
import { namesOtherNamespace } from '../../src/gateway/objects/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { knownNamespace } from '../../src/kubernetes/metadata.ts'
import { shorten } from '../describe.ts'
import { manifest, target } from './manifest.ts'

/** A target is looked up in the namespace of the policy only. */
export default rule({
  id: 'gateway/target-namespace',
  severity: 'error',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes'],
  summary: 'A policy is in the namespace of its targets.',
  why: 'Targets are looked up only in the namespace of the policy. A target in another namespace is ignored, and nothing is limited there.',
  remedy: 'Move the policy to the namespace of its target.',
  source: 'specification of RateLimitPolicy, "Resources and their fields" (metadata.namespace)',
  messages: {
    named: {
      text: 'a policy cannot target objects in namespace "{other}", only in its own{own}',
      remedy: 'Move the policy to namespace "{other}" and remove this field.',
    },
    pruned: {
      text: 'the manifest names namespace "{other}" for {kind} "{name}", but the API server dropped that: it is looked up in the namespace of the policy{own}',
      remedy: 'Move the policy to namespace "{other}" and remove this field from the manifest.',
    },
    elsewhere: {
      text: '{kind} "{name}" is not in the namespace of the policy, "{namespace}", but in "{other}"',
      remedy: 'Move the policy to namespace "{other}".',
    },
    'elsewhere-unnamed': '{kind} "{name}" is not in the namespace of the policy, "{namespace}", but in another one',
  },
  denies: {
    named: 'unless-dry-run',
    pruned: 'unless-dry-run',
    elsewhere: 'in-settled-namespace',
    'elsewhere-unnamed': 'in-settled-namespace',
  },
  examples: () => ({
    bad: manifest({
      targets: ['{ group: gateway.networking.k8s.io, kind: Gateway, name: edge, namespace: infra }'],
    }),
    good: manifest({
      metadata: '{ name: edge, namespace: infra }',
      targets: [target('Gateway', 'edge')],
    }),
  }),
  check(policy, context) {
    const { namespace } = policy.identity
    const known = knownNamespace(namespace)
    const own = known === undefined ? '' : `, "${known}"`
    for (const target of policy.targets)
      if (namesOtherNamespace(target, policy.identity))
        context.report('named', target.namespace, { other: shorten(target.namespace.value ?? ''), own })
    const pruned = prunedNamespaces(policy.object)
    for (const { target, kind, name } of policy.namedTargets) {
      const dropped = pruned.get(target.index)
      if (dropped !== undefined && dropped !== namespace) {
        context.report('pruned', target.namespace, { other: shorten(dropped), own, kind, name })
        continue
      }
      if (lookUpTarget(context, kind, namespace, name) !== 'absent') continue
      const [other] = namespacesOfTarget(context, kind, name)
      if (other) context.report('elsewhere', target.name, { kind, name, namespace, other })
      else if (other === '') context.report('elsewhere-unnamed', target.name, { kind, name, namespace })
    }
  },
})
