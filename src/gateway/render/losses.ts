/** Why a policy does not hold, for comments. Source: specification of RateLimitPolicy, "States and transitions". */

import type { ConflictMode, Fate, Loss, PrecedenceReason } from '../conflicts/precedence.ts'
import type { TargetName } from '../effective/level.ts'
import type { PolicyView } from '../objects/policy.ts'
import { titleOf } from './policy-files.ts'

const REASONS: Readonly<Record<PrecedenceReason, string>> = {
  age: 'is older',
  name: 'was created in the same second and comes first by name',
  assumed: 'comes first by name, as no creation times are known',
}

/** Says who won and by what. `target` is where the policy was looked for. */
export function lossNote(
  policy: PolicyView,
  fate: Exclude<Fate, { state: 'kept' }>,
  target: TargetName,
  conflict: ConflictMode,
): string {
  const begin = `${titleOf(policy)} is left out on ${target.kind} ${target.name}:`
  if (fate.state === 'dropped') return `${begin} ${fate.losses.map((loss) => describe(loss, conflict)).join('; ')}.`
  const links = fate.links.map(
    ({ loss, beyond }) =>
      `${describe(loss, conflict)}, and that one loses to ${titleOf(beyond.winner)} on ${beyond.kind} ${beyond.name}`,
  )
  return `${begin} nobody can say whether it holds. ${links.join('; ')}.`
}

function describe(loss: Loss & { readonly kind: string; readonly name: string }, conflict: ConflictMode): string {
  const { winner, fields, by, kind, name } = loss
  const set = conflict === 'any-field' ? 'which sets' : 'both set'
  return `it loses to ${titleOf(winner)} on ${kind} ${name} (${set} ${fields.join(', ')}; the winner ${REASONS[by]})`
}
