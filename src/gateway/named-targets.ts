/** The targets of a policy that can be looked up. */
import { namesOtherNamespace, type PolicyView, type TargetKind, type TargetView } from './policy.ts'

/** A target whose kind and name can be read. */
export type NamedTarget = { readonly target: TargetView; readonly kind: TargetKind; readonly name: string }

const known = new WeakMap<PolicyView, readonly NamedTarget[]>()

/** The targets that a policy means in its own namespace, each once. */
export function namedTargets(policy: PolicyView): readonly NamedTarget[] {
  const named = known.get(policy) ?? nameTargets(policy)
  known.set(policy, named)
  return named
}

function nameTargets({ targets, identity }: PolicyView): readonly NamedTarget[] {
  const named: NamedTarget[] = []
  for (const target of targets) {
    const kind = target.kind.value
    const name = target.name.value
    if (kind === undefined || !name || namesOtherNamespace(target, identity)) continue
    if (!named.some((other) => other.kind === kind && other.name === name)) named.push({ target, kind, name })
  }
  return named
}
