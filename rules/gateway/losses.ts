/** Words for policies that lose to others. */

import type { NewlyRejected, PrecedenceReason, TargetConflict } from '../../src/gateway/conflicts/precedence.ts'
import { type PolicyView, SHARED_SETTINGS } from '../../src/gateway/objects/policy.ts'
import type { Member } from '../../src/json/member.ts'
import { listed } from './words.ts'

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'is as old, comes first by name',
  assumed: 'comes first by name',
}

/** What a message says of a loss. */
export const lossWords = ({ preferred, fields, decidedBy, kind, name }: TargetConflict) => ({
  winner: preferred.identity.name ?? '',
  reason: REASONS[decidedBy],
  fields: listed(fields),
  kind,
  name,
})

/** Where a policy can be changed so as not to lose: the field that both set, or else the target. */
export const lossPlace = (policy: PolicyView, { fields, target }: TargetConflict): Member<unknown> =>
  fields.map((field) => policy[field]).find(({ value }) => value !== undefined) ?? target.name

/** The first loss to each winner: several targets make no further mistake. */
export const lossesByWinner = (losses: readonly TargetConflict[]): readonly TargetConflict[] =>
  losses.filter(({ preferred }, index) => losses.findIndex((loss) => loss.preferred === preferred) === index)

/** What a message says of the policies that a change pushes out; the first few by name. */
export function pushWords(pushed: readonly NewlyRejected[]) {
  const fields = SHARED_SETTINGS.filter((field) => pushed.some((one) => one.fields.includes(field)))
  const names = pushed.slice(0, 3).map(({ rejected }) => `"${rejected.identity.name}"`)
  const rest = pushed.length > names.length ? [`${pushed.length - names.length} more`] : []
  const losers = `${pushed.length > 1 ? 'policies' : 'policy'} ${listed([...names, ...rest])}`
  return { fields: listed(fields), kind: pushed[0]?.kind, name: pushed[0]?.name, losers }
}
