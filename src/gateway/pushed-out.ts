/** What a change of one policy does to others. Source: specification of RateLimitPolicy, "States and transitions". */
import { namedTargets } from './named-targets.ts'
import type { PoliciesAround } from './neighbours.ts'
import type { PolicyView } from './policy.ts'
import { type ConflictMode, contestAmong, resolve, settingsOf, type TargetLoss } from './precedence.ts'

/** A policy that was kept on a target before a change and is dropped after it; `target` is that of the changed policy. */
export type PushedOut = TargetLoss & { readonly loser: PolicyView }

/** The younger policies that a change pushes out, each once. Who is older must be known, not assumed. */
export function pushedOut(
  { policy, previous }: { readonly policy: PolicyView; readonly previous: PolicyView },
  policies: PoliciesAround,
  mode: ConflictMode,
): readonly PushedOut[] {
  if (claimsOf(policy) === claimsOf(previous)) return []
  const { namespace } = policy.identity
  const out = namedTargets(policy).flatMap(({ target, kind, name }) => {
    const { items } = policies.targeting(kind, namespace, name)
    const now = contestAmong(items, policies, mode).losses
    const lost = [...now].flatMap(([loser, losses]) => {
      const loss = losses.find(({ winner, by }) => winner === policy && by !== 'assumed')
      return loss ? [{ ...loss, loser, target, kind, name }] : []
    })
    if (lost.length === 0) return []
    const wasThere = namedTargets(previous).some((other) => other.kind === kind && other.name === name)
    const before = resolve(
      items.flatMap((item) => (item !== policy ? [item] : wasThere ? [previous] : [])),
      mode,
      policies.existedBefore,
    ).losses
    return lost.filter(({ loser }) => !before.has(loser))
  })
  return [...new Map(out.map((one) => [one.loser, one])).values()]
}

/** Everything of a policy that decides on conflicts, as one text. */
const claimsOf = (policy: PolicyView): string =>
  JSON.stringify([settingsOf(policy), namedTargets(policy).map(({ kind, name }) => [kind, name])])
