import { GATEWAYS } from '../../src/gateway/cel/policy.ts'
import { rule } from '../../src/gateway/rule.ts'
import { fieldPath } from '../../src/json/pointer.ts'
import { annotation } from '../../src/kubernetes/metadata.ts'
import { manifest, target } from './manifest.ts'

const NAME = 'nginx.org/internal-annotation-http-context-only'
const POINTER = `/metadata/annotations/${NAME.replace('/', '~1')}`

/** The controller sets this annotation on its own copies of a policy: a policy that has it limits nothing. */
export default rule({
  id: 'gateway/internal-annotation',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: 'A Gateway policy does not have the internal annotation of the controller.',
  why: `With "${NAME}" the controller writes only the zones of a Gateway policy, and no limit_req that uses them. The policy is accepted and its targets are marked as affected, but nothing is limited.`,
  remedy: 'Remove the annotation.',
  source: 'specification of RateLimitPolicy, "What the service does", item 4',
  messages: {
    present: 'this internal annotation disables all limits of the policy on Gateway "{gateway}"',
  },
  cel: {
    cases: [
      {
        message: 'present',
        at: fieldPath(POINTER),
        when: `size(${GATEWAYS}) > 0 && policy.object.metadata.?annotations[?'${NAME}'].orValue('') == 'true'`,
        values: { gateway: `${GATEWAYS}[0].?name.orValue('')` },
      },
    ],
  },
  examples: () => ({
    bad: manifest({
      metadata: `{ name: shop, namespace: shop, annotations: { ${NAME}: "true" } }`,
      targets: [target('Gateway', 'shop')],
    }),
    good: manifest({ metadata: '{ name: shop, namespace: shop }', targets: [target('Gateway', 'shop')] }),
  }),
  check({ metadata, targets }, { report }) {
    const gateway = targets.find(({ kind }) => kind.value === 'Gateway')
    if (gateway && annotation(metadata, NAME) === 'true')
      report('present', POINTER, { gateway: gateway.name.value ?? '' })
  },
})
