/** Words for policies that lose to others. */

import type { PushedOut } from '../../src/gateway/conflicts/newly-rejected.ts'
import type { PrecedenceReason, TargetLoss } from '../../src/gateway/conflicts/precedence.ts'
import { type PolicyView, SHARED_SETTINGS } from '../../src/gateway/objects/policy.ts'
import type { Member } from '../../src/json/member.ts'
import { listed } from './words.ts'

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'is as old, comes first by name',
  assumed: 'comes first by name',
}

/** What a message says of a loss. */
export const lossWords = ({ winner, fields, by, kind, name }: TargetLoss) => ({
  winner: winner.identity.name ?? '',
  reason: REASONS[by],
  fields: listed(fields),
  kind,
  name,
})

/** Where a policy can be changed so as not to lose: the field that both set, or else the target. */
export const lossPlace = (policy: PolicyView, { fields, target }: TargetLoss): Member<unknown> =>
  fields.map((field) => policy[field]).find(({ value }) => value !== undefined) ?? target.name

/** The first loss to each winner: several targets make no further mistake. */
export const lossesByWinner = (losses: readonly TargetLoss[]): readonly TargetLoss[] =>
  losses.filter(({ winner }, index) => losses.findIndex((loss) => loss.winner === winner) === index)

/** What a message says of the policies that a change pushes out; the first few by name. */
export function pushWords(pushed: readonly PushedOut[]) {
  const fields = SHARED_SETTINGS.filter((field) => pushed.some((one) => one.fields.includes(field)))
  const names = pushed.slice(0, 3).map(({ loser }) => `"${loser.identity.name}"`)
  const rest = pushed.length > names.length ? [`${pushed.length - names.length} more`] : []
  const losers = `${pushed.length > 1 ? 'policies' : 'policy'} ${listed([...names, ...rest])}`
  return { fields: listed(fields), kind: pushed[0]?.kind, name: pushed[0]?.name, losers }
}
