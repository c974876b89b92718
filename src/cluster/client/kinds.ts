/** The kinds of which a cluster is watched, and where the API server keeps them. */
import type { ApiNames } from '../../kubernetes/api-groups.ts'

/** One kind, as the API server serves it. */
export type WatchedKind = {
  readonly kind: string
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  readonly plural: string
  /** True where an object belongs to a namespace. */
  readonly namespaced: boolean
  /**
   * True where a cluster may do without the kind: then an API server that does not serve it has told that there are no
   * such objects. The others are what policies are about: until they are served, nothing is known of them.
   */
  readonly optional: boolean
}

/** Every watched kind. Who reads a cluster needs `get`, `list` and `watch` on each of them, and nothing else. */
export function watchedKinds({ gatewayGroup, policyGroup, policyVersion }: ApiNames): readonly WatchedKind[] {
  const gateway = { group: gatewayGroup, version: 'v1', namespaced: true }
  const policy = { group: policyGroup, version: policyVersion, namespaced: true }
  return [
    { kind: 'Gateway', ...gateway, plural: 'gateways', optional: false },
    { kind: 'HTTPRoute', ...gateway, plural: 'httproutes', optional: false },
    { kind: 'GRPCRoute', ...gateway, plural: 'grpcroutes', optional: false },
    { kind: 'GatewayClass', ...gateway, plural: 'gatewayclasses', namespaced: false, optional: true },
    { kind: 'RateLimitPolicy', ...policy, plural: 'ratelimitpolicies', optional: false },
    { kind: 'SnippetsFilter', ...policy, plural: 'snippetsfilters', optional: true },
    { kind: 'NginxProxy', ...policy, version: 'v1alpha2', plural: 'nginxproxies', optional: true },
    { kind: 'Namespace', group: '', version: 'v1', plural: 'namespaces', namespaced: false, optional: false },
  ]
}

/** The path under which the API server lists all objects of a kind. */
export const pathOf = ({ group, version, plural }: WatchedKind): string =>
  group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`
