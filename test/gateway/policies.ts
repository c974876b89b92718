/** Policies around the part that a test is about. */

import { type LimitView, type PolicyView, readPolicy } from '../../src/gateway/objects/policy.ts'
import type { Json, JsonObject } from '../../src/json/member.ts'

/** A policy with this under `spec`, beside a target. */
export const policyWith = (spec: JsonObject): PolicyView =>
  readPolicy({
    apiVersion: 'gateway.nginx.org/v1alpha1',
    kind: 'RateLimitPolicy',
    metadata: { name: 'coffee', namespace: 'shop' },
    spec: { targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'coffee' }], ...spec },
  })

/** A policy with these limits. */
export const policyOf = (...rules: readonly Json[]): PolicyView => policyWith({ rateLimit: { local: { rules } } })

/** A limit with these fields, beside a key and a rate. */
export function limitOf(fields: JsonObject): LimitView {
  const [limit] = policyOf({ key: '$binary_remote_addr', rate: '10r/s', ...fields }).limits
  if (!limit) throw new Error('a policy of one limit has none')
  return limit
}
