/** What a change of one policy does to others. Source: specification of RateLimitPolicy, "States and transitions". */
import type { PoliciesAround } from '../lookups.ts'
import type { PolicyView } from '../objects/policy.ts'
import { type ConflictMode, contestAmong, resolve, settingsOf, type TargetLoss } from './precedence.ts'

/** A policy that was kept on a target before a change and is dropped after it; `target` is that of the changed policy. */
export type PushedOut = TargetLoss & { readonly loser: PolicyView }

/** The younger policies that a change pushes out, each once. Who is older must be known, not assumed. */
export function pushedOut(
  { policy, previous }: { readonly policy: PolicyView; readonly previous: PolicyView },
  policies: PoliciesAround,
  mode: ConflictMode,
): readonly PushedOut[] {
  if (claimsTheSame(policy, previous)) return []
  const { namespace } = policy.identity
  const out = policy.namedTargets.flatMap(({ target, kind, name }) => {
    const { items } = policies.targeting(kind, namespace, name)
    const now = contestAmong(items, policies, mode).losses
    const lost = [...now].flatMap(([loser, losses]) => {
      const loss = losses.find(({ winner, by }) => winner === policy && by !== 'assumed')
      return loss ? [{ ...loss, loser, target, kind, name }] : []
    })
    if (lost.length === 0) return []
    const wasThere = previous.namedTargets.some((other) => other.kind === kind && other.name === name)
    const before = resolve(
      items.flatMap((item) => (item !== policy ? [item] : wasThere ? [previous] : [])),
      mode,
      policies.existedBefore,
    ).losses
    return lost.filter(({ loser }) => !before.has(loser))
  })
  return [...new Map(out.map((one) => [one.loser, one])).values()]
}

/** True where two versions agree in everything that decides on conflicts. */
const claimsTheSame = (a: PolicyView, b: PolicyView): boolean =>
  isSameList(settingsOf(a), settingsOf(b), (left, right) => left === right) &&
  isSameList(a.namedTargets, b.namedTargets, (left, right) => left.kind === right.kind && left.name === right.name)

const isSameList = <Item>(a: readonly Item[], b: readonly Item[], isSame: (left: Item, right: Item) => boolean) =>
  a.length === b.length &&
  a.every((item, index) => {
    const other = b[index]
    return other !== undefined && isSame(item, other)
  })
