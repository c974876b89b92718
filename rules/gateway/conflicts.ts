/** Conflicts between policies: the data of messages, and where to report them. */

import type { PushedOut } from '../../src/gateway/conflicts/newly-rejected.ts'
import type { PrecedenceReason, TargetLoss } from '../../src/gateway/conflicts/precedence.ts'
import { type PolicyView, SHARED_SETTINGS } from '../../src/gateway/objects/policy.ts'
import type { Member } from '../../src/json/member.ts'
import { joinItems } from './describe.ts'

/** Why a policy is preferred. */
const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'older',
  name: 'same age, first by name',
  assumed: 'first by name',
}

/** Data of a message about a conflict in which another policy is preferred. */
export const conflictData = ({ winner, fields, by, kind, name }: TargetLoss) => ({
  preferred: winner.identity.name ?? '',
  reason: REASONS[by],
  fields: joinItems(fields),
  kind,
  name,
})

/** The member of the rejected policy to change: the field that both policies set, or else the target. */
export const conflictMember = (policy: PolicyView, { fields, target }: TargetLoss): Member<unknown> =>
  fields.map((field) => policy[field]).find(({ value }) => value !== undefined) ?? target.name

/** The first conflict with each preferred policy: the same two policies are reported once, not on every target. */
export const oncePerPreferred = (losses: readonly TargetLoss[]): readonly TargetLoss[] =>
  losses.filter(({ winner }, index) => losses.findIndex((loss) => loss.winner === winner) === index)

/** Data of a message about the policies that a change causes to be rejected; the first three by name. */
export function rejectedData(pushed: readonly PushedOut[]) {
  const fields = SHARED_SETTINGS.filter((field) => pushed.some((one) => one.fields.includes(field)))
  const names = pushed.slice(0, 3).map(({ loser }) => `"${loser.identity.name}"`)
  const rest = pushed.length > names.length ? [`${pushed.length - names.length} more`] : []
  const rejected = `${pushed.length > 1 ? 'policies' : 'policy'} ${joinItems([...names, ...rest])}`
  return { fields: joinItems(fields), kind: pushed[0]?.kind, name: pushed[0]?.name, rejected }
}
