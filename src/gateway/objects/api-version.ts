/** The apiVersion of a policy, and near misses of it. */
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { nearest } from '../../text/nearest.ts'
import { splitApiVersion } from '../../world/kinds.ts'

/**
 * The apiVersion that a near miss certainly means: a group one or two letters off, another group of the
 * vendor's, or `v1` of the right group. Undefined for the right one, for unknown versions and for other products.
 */
export function meantApiVersion(apiVersion: string, names: ApiNames): string | undefined {
  if (apiVersion === names.policyApiVersion) return undefined
  const { group, version } = splitApiVersion(apiVersion)
  if (group === names.policyGroup) return version === 'v1' ? names.policyApiVersion : undefined
  if (apiVersion === names.policyGroup) return names.policyApiVersion
  const vendor = names.policyGroup.split('.')[1] ?? ''
  const isVendors = group.split('.').includes(vendor)
  return isVendors || nearest(group, [names.policyGroup]) !== undefined ? names.policyApiVersion : undefined
}
