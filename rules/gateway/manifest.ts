/** Manifests for the examples of rules: each rule writes only the part that matters to it. */

type Parts = {
  readonly metadata?: string
  /** Items of `targetRefs`, as flow mappings. */
  readonly targets?: readonly string[]
  /** Lines under `rateLimit`, before `local`. */
  readonly settings?: readonly string[]
  /** Items of `rateLimit.local.rules`, as flow mappings. */
  readonly limits?: readonly string[]
  /** Further manifests, placed before the policy. */
  readonly beside?: readonly string[]
}

/** An item of `targetRefs`. */
export const target = (kind: string, name: string): string =>
  `{ group: gateway.networking.k8s.io, kind: ${kind}, name: ${name} }`

/** A RateLimitPolicy named `coffee` in namespace `shop`; the parts replace its defaults. */
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

/** A Gateway in namespace `shop` with one HTTP listener. */
export const gateway = (name: string): string =>
  [
    'apiVersion: gateway.networking.k8s.io/v1',
    'kind: Gateway',
    `metadata: { name: ${name}, namespace: shop }`,
    'spec: { gatewayClassName: nginx, listeners: [{ name: http, port: 80, protocol: HTTP }] }',
  ].join('\n')

/** An HTTPRoute in namespace `shop`; `spec` holds the lines of its `spec`. */
export const route = (name: string, ...spec: readonly string[]): string =>
  [
    'apiVersion: gateway.networking.k8s.io/v1',
    'kind: HTTPRoute',
    `metadata: { name: ${name}, namespace: shop }`,
    'spec:',
    ...spec.map((line) => `  ${line}`),
  ].join('\n')
