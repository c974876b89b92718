import { hidesClients } from '../../src/gateway/objects/proxy.ts'
import { gatewaysOf } from '../../src/gateway/routing/targets.ts'
import { rule } from '../../src/gateway/rule.ts'
import { manifest, target } from './manifest.ts'

const ADDRESSES = ['binary_remote_addr', 'remote_addr']

const CLASS = 'apiVersion: gateway.networking.k8s.io/v1\nkind: GatewayClass\nmetadata: { name: nginx }\nspec: {}'
const GATEWAY = `apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: { name: shop, namespace: shop }
spec:
  gatewayClassName: nginx
  infrastructure: { parametersRef: { group: gateway.nginx.org, kind: NginxProxy, name: edge } }`
const proxy = (policy: string): string => `apiVersion: gateway.nginx.org/v1alpha2
kind: NginxProxy
metadata: { name: edge, namespace: shop }
spec: { kubernetes: { service: { type: LoadBalancer, externalTrafficPolicy: ${policy} } } }`
const example = (policy: string): string =>
  manifest({ targets: [target('Gateway', 'shop')], beside: [CLASS, GATEWAY, proxy(policy)] })

/** Behind a load balancer, the address of a connection may not be that of the client. */
export default rule({
  id: 'gateway/key-behind-proxy',
  severity: 'warning',
  judges: 'RateLimitPolicy',
  reads: ['gateways', 'routes', 'namespaces'],
  summary: 'A key with the client address is used only where nginx sees that address.',
  why: 'With externalTrafficPolicy: Cluster, Kubernetes may forward a connection through another node, and nginx sees the address of that node. All clients behind it then share one limit and are rejected together.',
  remedy:
    'In the NginxProxy of the Gateway, set externalTrafficPolicy: Local, or set rewriteClientIP to take the address from the PROXY protocol or X-Forwarded-For.',
  source: 'nginx, $binary_remote_addr and ngx_http_realip_module; Kubernetes, external traffic policy of a Service',
  messages: {
    node: {
      text: '{variable} is the address of a node: Gateway "{gateway}" has externalTrafficPolicy: Cluster',
      remedy:
        'In NginxProxy "{proxy}", set externalTrafficPolicy: Local, or set rewriteClientIP to take the address from the PROXY protocol or X-Forwarded-For.',
    },
  },
  examples: () => ({ bad: example('Cluster'), good: example('Local') }),
  check(policy, context) {
    if (context.gateways.isEmpty) return
    const limits = policy.limits.flatMap(({ key }) => {
      const part = key.value?.parts.find((one) => one.type === 'variable' && ADDRESSES.includes(one.name))
      return part?.type === 'variable' ? [{ key, variable: `$${part.written}` }] : []
    })
    if (limits.length === 0) return
    for (const gateway of gatewaysOf(policy, context)) {
      const proxy = context.gateways.proxyOf(gateway)
      if (proxy.state !== 'found' || !hidesClients(proxy.value)) continue
      const names = { gateway: gateway.identity.name, proxy: proxy.value.identity.name }
      for (const { key, variable } of limits) context.report('node', key, { variable, ...names })
      return
    }
  },
})
