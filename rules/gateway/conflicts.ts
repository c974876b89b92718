/** Conflicts between policies: the data of messages, and where to report them. */

import type { NewlyRejected, TargetConflict } from '../../src/gateway/conflicts/outcome.ts'
import type { PrecedenceReason } from '../../src/gateway/conflicts/precedence.ts'
import { type PolicyView, SHARED_SETTINGS } from '../../src/gateway/objects/policy.ts'
import type { Member } from '../../src/json/member.ts'
import { joinItems } from '../describe.ts'

/** Why a policy is preferred. */
const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'older',
  name: 'same age, first by name',
  dated: 'the only one with a creation time',
  assumed: 'first by name',
}

/** Data of a message about a conflict in which another policy is preferred. */
export const conflictData = ({ preferred, fields, decidedBy, kind, name }: TargetConflict) => ({
  preferred: preferred.identity.name ?? '',
  reason: REASONS[decidedBy],
  fields: joinItems(fields),
  kind,
  name,
})

/** The member of the rejected policy to change: the field that both policies set, or else the target. */
export const conflictMember = (policy: PolicyView, { fields, target }: TargetConflict): Member<unknown> =>
  fields.map((field) => policy[field]).find(({ value }) => value !== undefined) ?? target.name

/** The first conflict with each preferred policy: the same two policies are reported once, not on every target. */
export const oncePerPreferred = (conflicts: readonly TargetConflict[]): readonly TargetConflict[] =>
  conflicts.filter(({ preferred }, index) => conflicts.findIndex((one) => one.preferred === preferred) === index)

/** Data of a message about the policies that a change causes to be rejected; the first three by name. */
export function rejectedData(added: readonly NewlyRejected[]) {
  const fields = SHARED_SETTINGS.filter((field) => added.some((one) => one.fields.includes(field)))
  const names = added.slice(0, 3).map(({ rejected }) => `"${rejected.identity.name}"`)
  const rest = added.length > names.length ? [`${added.length - names.length} more`] : []
  const rejected = `${added.length > 1 ? 'policies' : 'policy'} ${joinItems([...names, ...rest])}`
  return { fields: joinItems(fields), kind: added[0]?.kind, name: added[0]?.name, rejected }
}
