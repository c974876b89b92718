/** What is said about a body by several: each place once, by whoever says it best. */
import type { Remark } from './judge.ts'

/** Errors of rules, and those of the OpenAPI document about places of which no rule says anything. */
export const allErrors = (ofRules: readonly Remark[], others: readonly Remark[]): readonly Remark[] => [
  ...ofRules,
  ...others.filter(({ pointer }) => !ofRules.some((known) => isWithin(known.pointer, pointer))),
]

/** True where two places are the same, or one is in the other. */
export const isWithin = (a: string, b: string): boolean => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
