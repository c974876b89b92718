/** Fields that seem to be missing: where one that nobody knows stands near, it may be this one, misspelt or misplaced. */
import type { PolicyView } from '../objects/policy.ts'
import { toPattern } from './fields.ts'
import { type Violation, violations } from './violations.ts'

/**
 * True where an unknown field may be what is missing at a pointer: one beside it, or one elsewhere that was meant to be
 * there. The unknown field is the mistake then, and what follows from it is not reported again.
 */
export function mayBeMisspelt(policy: PolicyView, pointer: string): boolean {
  const all = violations(policy)
  if (all.length === 0) return false
  const home = parentOf(pointer)
  const pattern = toPattern(pointer)
  return all.some((violation) => {
    if (violation.keyword !== 'additionalProperties') return false
    const place = parentOf(violation.pointer)
    if (place === home) return true
    const isInAnotherItem = toPattern(place) === toPattern(home)
    return !isInAnotherItem && meantPattern(violation) === pattern
  })
}

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))

const meantPattern = ({ meant }: Violation): string | undefined => meant && `${meant.home}/${meant.field}`
