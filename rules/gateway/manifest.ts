/** Examples of the rules as whole manifests, so that each rule shows only what it is about. */

type Parts = {
  readonly metadata?: string
  /** Items of `targetRefs`, as flow mappings. */
  readonly targets?: readonly string[]
  /** Lines under `rateLimit` beside `local`. */
  readonly settings?: readonly string[]
  /** Items of `rules`, as flow mappings. */
  readonly limits?: readonly string[]
  /** Further manifests of the example. */
  readonly beside?: readonly string[]
}

/** A target in the example's namespace. */
export const target = (kind: string, name: string): string =>
  `{ group: gateway.networking.k8s.io, kind: ${kind}, name: ${name} }`

/** A RateLimitPolicy around the parts that matter. */
export function manifest({
  metadata = '{ name: coffee, namespace: shop }',
  targets = [target('HTTPRoute', 'coffee')],
  settings = [],
  limits = ['{ key: $binary_remote_addr, rate: 10r/s, zoneSize: 10m }'],
  beside = [],
}: Parts): string {
  const policy = [
    'apiVersion: gateway.nginx.org/v1alpha1',
    'kind: RateLimitPolicy',
    `metadata: ${metadata}`,
    'spec:',
    '  targetRefs:',
    ...targets.map((ref) => `  - ${ref}`),
    ...(settings.length + limits.length > 0 ? ['  rateLimit:'] : []),
    ...settings.map((line) => `    ${line}`),
    ...(limits.length > 0 ? ['    local:', '      rules:', ...limits.map((limit) => `      - ${limit}`)] : []),
  ].join('\n')
  return `${[...beside.map((text) => text.trim()), policy].join('\n---\n')}\n`
}

/** A Gateway in the example's namespace with one listener for HTTP. */
export const gateway = (name: string): string =>
  [
    'apiVersion: gateway.networking.k8s.io/v1',
    'kind: Gateway',
    `metadata: { name: ${name}, namespace: shop }`,
    'spec: { gatewayClassName: nginx, listeners: [{ name: http, port: 80, protocol: HTTP }] }',
  ].join('\n')

/** An HTTPRoute in the example's namespace; `spec` are the lines of its specification. */
export const route = (name: string, ...spec: readonly string[]): string =>
  [
    'apiVersion: gateway.networking.k8s.io/v1',
    'kind: HTTPRoute',
    `metadata: { name: ${name}, namespace: shop }`,
    'spec:',
    ...spec.map((line) => `  ${line}`),
  ].join('\n')
