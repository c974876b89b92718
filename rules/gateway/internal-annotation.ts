import { rule } from '../../src/gateway/rule.ts'
import { annotation } from '../../src/kubernetes/metadata.ts'
import { manifest, target } from './manifest.ts'

const NAME = 'nginx.org/internal-annotation-http-context-only'
const POINTER = `/metadata/annotations/${NAME.replace('/', '~1')}`

/** The controller marks copies of its own with this annotation: a policy that carries it limits nothing. */
export default rule({
  id: 'gateway/internal-annotation',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  summary: "A Gateway's policy does not carry the controller's internal annotation.",
  why: `With "${NAME}" the controller writes only the zones of a Gateway's policy, and no limit_req that uses them. The policy is accepted, its targets are marked as affected, and nothing is limited.`,
  remedy: 'Remove the annotation.',
  source: 'specification of RateLimitPolicy, "What the service does", item 4',
  messages: { present: `the annotation "${NAME}" leaves the Gateway "{gateway}" without limits` },
  examples: {
    bad: manifest({
      metadata: `{ name: shop, namespace: shop, annotations: { ${NAME}: "true" } }`,
      targets: [target('Gateway', 'shop')],
    }),
    good: manifest({ metadata: '{ name: shop, namespace: shop }', targets: [target('Gateway', 'shop')] }),
  },
  check({ metadata, targets }, { report }) {
    const gateway = targets.find(({ kind }) => kind.value === 'Gateway')
    if (gateway && annotation(metadata, NAME) === 'true')
      report('present', POINTER, { gateway: gateway.name.value ?? '' })
  },
})
