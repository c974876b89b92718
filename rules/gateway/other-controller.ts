import { foreignGateway } from '../../src/gateway/force/owner.ts'
import { rule } from '../../src/gateway/rule.ts'
import { inNamespace, shorten } from '../describe.ts'
import { gateway, manifest, route, target } from './manifest.ts'

const gatewayClass = (controller: string): string =>
  `apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: { name: nginx }\nspec: { controllerName: ${controller} }`
const example = (controller: string): string =>
  manifest({
    targets: [target('Gateway', 'shop')],
    beside: [gatewayClass(controller), gateway('shop'), route('coffee')],
  })

/** The controller of another product does not know the policy: it limits nothing, and gets no status. */
export default rule({
  id: 'gateway/other-controller',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  since: '0.2',
  reads: ['gateways', 'routes', 'namespaces'],
  summary: 'A target is, or is served by, a Gateway of NGINX Gateway Fabric.',
  why: 'The class of a Gateway names its controller. Controllers of other products ignore a RateLimitPolicy: it limits nothing on their Gateways, and gets no status. A controllerName that begins with "gateway.nginx.org/" is that of NGINX Gateway Fabric, whatever follows.',
  remedy: 'Target a Gateway whose class names NGINX Gateway Fabric, or a route behind one.',
  source: 'Gateway API, GatewayClass (controllerName) and PolicyStatus',
  messages: {
    gateway: {
      text: 'nothing is limited on Gateway "{gateway}": its class "{class}" belongs to another controller, {controller}',
      remedy: 'Target a Gateway of NGINX Gateway Fabric, or correct gatewayClassName of Gateway "{gateway}".',
    },
    route: {
      text: 'nothing is limited on {kind} "{name}": it is served by Gateway "{gateway}"{where}, whose class "{class}" belongs to another controller, {controller}',
      remedy: 'Add a Gateway of NGINX Gateway Fabric to the parentRefs of {kind} "{name}", or target another route.',
    },
  },
  examples: () => ({
    bad: example('example.com/gateway-controller'),
    good: example('gateway.nginx.org/nginx-gateway-controller'),
  }),
  check(policy, context) {
    const { namespace } = policy.identity
    for (const { target, kind, name } of policy.namedTargets) {
      const found = foreignGateway({ kind, name }, namespace, context)
      if (!found) continue
      const controller = context.gateways.controllerOf(found)
      const data = {
        gateway: found.identity.name ?? '',
        class: shorten(found.className ?? ''),
        controller: shorten(controller.state === 'found' ? controller.value : ''),
      }
      if (kind === 'Gateway') context.report('gateway', target.name, data)
      else {
        const where = found.identity.namespace === namespace ? '' : inNamespace(found.identity.namespace)
        context.report('route', target.name, { ...data, kind, name: shorten(name), where })
      }
    }
  },
})
