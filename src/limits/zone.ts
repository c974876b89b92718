/** Zone names. Source: specification of RateLimitPolicy, "Resources and their fields", rule 1. */

/** The zone of the limit at an index of a policy: `<namespace>_rl_<policy>_rule<index>`. */
export const zoneName = (namespace: string, policy: string, index: number): string =>
  `${namespace}_rl_${policy}_rule${index}`
