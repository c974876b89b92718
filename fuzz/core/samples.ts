/** Objects of every kind that is read, each with every member that is. */
import type { Input } from './target.ts'

const GATEWAY_API = 'gateway.networking.k8s.io'
const meta = (name: string, more: { [member: string]: Input } = {}): Input => ({ name, namespace: 'shop', ...more })
const condition = (type: string): Input => ({
  ...{ type, status: 'True', reason: type, message: '', observedGeneration: 1 },
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const parent: Input = {
  group: GATEWAY_API,
  kind: 'Gateway',
  name: 'edge',
  namespace: 'shop',
  sectionName: 'https',
  port: 443,
}
const backend: Input = { group: '', kind: 'Service', name: 'coffee', namespace: 'shop', port: 80, weight: 1 }
const header: Input = { set: [{ name: 'x-a', value: 'b' }], add: [{ name: 'x-c', value: 'd' }], remove: ['x-e'] }

const limits: Input = [
  { key: '$binary_remote_addr', rate: '10r/s', zoneSize: '10m', burst: 20, delay: 5 },
  { key: '$http_x_tenant$uri', rate: '30R/M', zoneSize: '16k', burst: 10, noDelay: true },
]

export const POLICY: Input = {
  apiVersion: 'gateway.nginx.org/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: meta('coffee', {
    uid: '6f1c',
    generation: 1,
    resourceVersion: '7',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { team: 'drinks' },
    annotations: {
      'sluice.policy/ignore': 'gateway/key-constant -- as agreed',
      'kubectl.kubernetes.io/last-applied-configuration':
        '{"kind":"RateLimitPolicy","spec":{"targetRefs":[{"name":"a","namespace":"b"}]}}',
    },
    ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'b' }],
    finalizers: ['example.com/a'],
    managedFields: [{ manager: 'kubectl', operation: 'Apply', fieldsV1: {} }],
  }),
  spec: {
    targetRefs: [{ group: GATEWAY_API, kind: 'HTTPRoute', name: 'coffee' }],
    rateLimit: { dryRun: false, logLevel: 'warn', rejectCode: 429, local: { rules: limits } },
  },
  status: {
    ancestors: [{ ancestorRef: parent, controllerName: 'example.com/controller', conditions: [condition('Accepted')] }],
  },
}

const listener = (name: string, port: number, protocol: string): Input => ({
  ...{ name, port, protocol, hostname: '*.beans.example' },
  tls: { mode: 'Terminate', certificateRefs: [{ kind: 'Secret', name: 'tls', namespace: 'shop' }] },
  allowedRoutes: {
    namespaces: {
      from: 'Selector',
      selector: { matchLabels: { team: 'drinks' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] },
    },
    kinds: [{ group: GATEWAY_API, kind: 'HTTPRoute' }],
  },
})

export const GATEWAY: Input = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: 'Gateway',
  metadata: meta('edge', { generation: 2 }),
  spec: {
    gatewayClassName: 'nginx',
    addresses: [{ type: 'IPAddress', value: '192.0.2.1' }],
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }, listener('https', 443, 'HTTPS')],
    allowedListeners: { namespaces: { from: 'All', selector: { matchLabels: { a: 'b' } } } },
    infrastructure: { parametersRef: { group: 'gateway.nginx.org', kind: 'NginxProxy', name: 'proxy' } },
  },
  status: { conditions: [condition('Programmed')], listeners: [{ name: 'http', attachedRoutes: 1, conditions: [] }] },
}

const HTTP_ROUTE: Input = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: 'HTTPRoute',
  metadata: meta('coffee'),
  spec: {
    parentRefs: [parent, { name: 'edge' }, { group: GATEWAY_API, kind: 'ListenerSet', name: 'more' }],
    hostnames: ['menu.beans.example', '*.beans.example'],
    rules: [
      {
        name: 'first',
        matches: [
          {
            path: { type: 'PathPrefix', value: '/coffee/' },
            method: 'GET',
            headers: [{ type: 'RegularExpression', name: 'x-a', value: '^(?:a|b)+$' }],
            queryParams: [{ type: 'Exact', name: 'q', value: '1' }],
          },
          { path: { type: 'RegularExpression', value: '/(a|b)/[0-9]+\\.php$' } },
          { path: { type: 'Exact', value: '/tea' } },
        ],
        filters: [
          { type: 'RequestHeaderModifier', requestHeaderModifier: header },
          {
            type: 'URLRewrite',
            urlRewrite: { hostname: 'a.example', path: { type: 'ReplacePrefixMatch', replacePrefixMatch: '/b' } },
          },
          {
            type: 'RequestRedirect',
            requestRedirect: {
              scheme: 'https',
              hostname: 'b.example',
              port: 8443,
              statusCode: 302,
              path: { type: 'ReplaceFullPath', replaceFullPath: '/c' },
            },
          },
          { type: 'RequestMirror', requestMirror: { backendRef: backend } },
          {
            type: 'ExtensionRef',
            extensionRef: { group: 'gateway.nginx.org', kind: 'SnippetsFilter', name: 'snippets' },
          },
        ],
        backendRefs: [backend],
        timeouts: { request: '10s', backendRequest: '2s' },
      },
      { backendRefs: [backend, { name: 'tea', port: 8080, weight: 0 }] },
    ],
  },
  status: { parents: [{ parentRef: parent, controllerName: 'a.example/b', conditions: [condition('Accepted')] }] },
}

const GRPC_ROUTE: Input = {
  apiVersion: `${GATEWAY_API}/v1`,
  kind: 'GRPCRoute',
  metadata: meta('grpc'),
  spec: {
    parentRefs: [{ name: 'edge', sectionName: 'https' }],
    hostnames: ['grpc.beans.example'],
    rules: [
      {
        matches: [
          { method: { type: 'Exact', service: 'a.B', method: 'C' }, headers: [{ name: 'x-a', value: 'b' }] },
          { method: { type: 'RegularExpression', service: 'a\\.[A-Z]+', method: '.*' } },
        ],
        backendRefs: [backend],
      },
    ],
  },
}

const listenerSet = (kind: string, apiVersion: string): Input => ({
  apiVersion,
  kind,
  metadata: meta('more'),
  spec: {
    parentRef: { group: GATEWAY_API, kind: 'Gateway', name: 'edge', namespace: 'shop' },
    listeners: [listener('set', 8443, 'HTTPS')],
  },
})

const snippets = [
  { context: 'http', value: 'map $http_x_tenant $tenant { default "a"; ~^b c; }\ngeo $where { 10.0.0.0/8 in; }' },
  { context: 'http.server.location', value: 'set $a "b"; # c\nauth_request_set $d $e;' },
]

/** Every kind that a system reads. */
export const KINDS: readonly Input[] = [
  GATEWAY,
  HTTP_ROUTE,
  GRPC_ROUTE,
  listenerSet('ListenerSet', `${GATEWAY_API}/v1`),
  listenerSet('XListenerSet', 'gateway.networking.x-k8s.io/v1alpha1'),
  {
    apiVersion: `${GATEWAY_API}/v1`,
    kind: 'GatewayClass',
    metadata: { name: 'nginx' },
    spec: {
      controllerName: 'gateway.nginx.org/nginx-gateway-controller',
      parametersRef: { group: 'gateway.nginx.org', kind: 'NginxProxy', name: 'proxy', namespace: 'shop' },
    },
  },
  {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'SnippetsFilter',
    metadata: meta('snippets'),
    spec: { snippets },
  },
  {
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'SnippetsPolicy',
    metadata: meta('snippets'),
    spec: { targetRefs: [{ group: GATEWAY_API, kind: 'Gateway', name: 'edge' }], snippets },
  },
  {
    apiVersion: 'gateway.nginx.org/v1alpha2',
    kind: 'NginxProxy',
    metadata: meta('proxy'),
    spec: {
      rewriteClientIP: { mode: 'XForwardedFor', trustedAddresses: [{ type: 'CIDR', value: '10.0.0.0/8' }] },
      kubernetes: {
        service: { type: 'LoadBalancer', externalTrafficPolicy: 'Cluster', patches: [{ type: 'Merge', value: {} }] },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'shop', labels: { team: 'drinks' }, creationTimestamp: '2026-01-01T00:00:00Z' },
  },
]
