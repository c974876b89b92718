/** Zone names. Source: specification of RateLimitPolicy, "Resources and their fields", rule 1; nginx, limit_req_zone. */
import { fingerprint } from '../text/fingerprint.ts'

/** How zones are named: by position, as the specification says, or by position and key. */
export type ZoneNaming = 'indexed' | 'keyed'

/**
 * The zone of the limit at an index of a policy: `<namespace>_rl_<policy>_rule<index>`. With a key (without quotes and
 * escapes) its digest follows, 16 hexadecimal digits: `shop_rl_coffee_rule0_07c3…`. It has 64 bits, so that another key
 * of a policy has another digest except by design; who compares zones compares their names, so that such a pair is found.
 * The index stays, since two limits of a policy may have the same key.
 */
export const zoneName = (namespace: string, policy: string, index: number, key?: string): string =>
  `${namespace}_rl_${policy}_rule${index}${key === undefined ? '' : `_${fingerprint(key)}`}`
