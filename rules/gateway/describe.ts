/** Limits as messages show them. */

import type { LimitView } from '../../src/gateway/objects/policy.ts'
import { printRate } from '../../src/limits/rate.ts'
import { shorten } from '../describe.ts'

/** The rate of a limit: `10r/s`, `10r/s with burst 5`. */
export function describeRate({ rate, burst }: LimitView): string {
  const printed = rate.value ? printRate(rate.value) : ''
  return burst.value ? `${printed} with burst ${burst.value}` : printed
}

/** A whole limit: `key $binary_remote_addr, rate 10r/s, burst 5`. */
export function describeLimit({ key, rate, burst }: LimitView): string {
  const parts = [`key ${shorten(key.value?.written ?? '')}`, `rate ${rate.value ? printRate(rate.value) : ''}`]
  return [...parts, ...(burst.value ? [`burst ${burst.value}`] : [])].join(', ')
}
