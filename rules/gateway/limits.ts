/** Words for limits. */
import type { LimitView } from '../../src/gateway/objects/policy.ts'
import { printRate } from '../../src/limits/rate.ts'
import { shorten } from './words.ts'

/** How much a limit lets through: `10r/s`, `10r/s with burst 5`. */
export function rateWords({ rate, burst }: LimitView): string {
  const words = rate.value ? printRate(rate.value) : ''
  return burst.value ? `${words} with burst ${burst.value}` : words
}

/** A limit: `key $binary_remote_addr, rate 10r/s, burst 5`. */
export function limitWords({ key, rate, burst }: LimitView): string {
  const parts = [`key ${shorten(key.value?.written ?? '')}`, `rate ${rate.value ? printRate(rate.value) : ''}`]
  return [...parts, ...(burst.value ? [`burst ${burst.value}`] : [])].join(', ')
}
