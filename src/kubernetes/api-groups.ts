/** Names of API groups. A distribution with other names sets them in its settings (`apiGroups`), not in the code. */

/** The annotation that lists the rules to be suppressed for an object. */
export const IGNORE_ANNOTATION = 'sluice.policy/ignore'

/** The parts of the API groups that a distribution may choose. */
export type NameParts = {
  /** `nginx` in `gateway.nginx.org` and `nsm.nginx.com`. */
  readonly vendor: string
  /** `k8s` in `gateway.networking.k8s.io`. */
  readonly platform: string
}

/** The parts as NGINX Gateway Fabric and the Gateway API write them. */
export const DEFAULT_NAME_PARTS: NameParts = { vendor: 'nginx', platform: 'k8s' }

/** Every API group and controller name that is derived from {@link NameParts}. */
export type ApiNames = {
  /** Group of RateLimitPolicy and SnippetsFilter: `gateway.nginx.org`. */
  readonly policyGroup: string
  /** The only version of that group: `v1alpha1`. */
  readonly policyVersion: string
  /** `gateway.nginx.org/v1alpha1`. */
  readonly policyApiVersion: string
  /** Group of Gateway, HTTPRoute and GRPCRoute: `gateway.networking.k8s.io`. */
  readonly gatewayGroup: string
  /** Group of the mesh management API: `nsm.nginx.com`. */
  readonly meshGroup: string
  /** The mesh's namespace, and the first part of the names of its containers and Services: `nginx-mesh`. */
  readonly meshName: string
  /** `controllerName` of the policy's status. */
  readonly controllerName: string
}

/** Derives the API groups from their parts. */
export function apiNames({ vendor, platform }: NameParts = DEFAULT_NAME_PARTS): ApiNames {
  const policyGroup = `gateway.${vendor}.org`
  const policyVersion = 'v1alpha1'
  return {
    policyGroup,
    policyVersion,
    policyApiVersion: `${policyGroup}/${policyVersion}`,
    gatewayGroup: `gateway.networking.${platform}.io`,
    meshGroup: `nsm.${vendor}.com`,
    meshName: `${vendor}-mesh`,
    controllerName: `${policyGroup}/${vendor}-gateway-controller`,
  }
}
