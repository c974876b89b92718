/** Policies that limit nothing. */
import type { Member } from '../../json/member.ts'
import { type PolicyView, SHARED_SETTINGS, type SharedSetting } from '../objects/policy.ts'
import { mayBeMisspelt } from '../schema/misspelt.ts'

/** What a policy without limits lacks. */
export type Emptiness = {
  /** The outermost member that is missing or empty: `rateLimit`, `local` or `rules`. */
  readonly at: Member<unknown>
  /** The settings that the policy has all the same. */
  readonly settings: readonly SharedSetting[]
}

/** Says why a policy has no limits; undefined where it has one, and where what stands there is another mistake. */
export function emptiness(policy: PolicyView): Emptiness | undefined {
  const { spec, rateLimit, local, rules } = policy
  if (!spec.value || policy.limits.length > 0) return undefined
  const path: readonly Member<unknown>[] = [rateLimit, local, rules]
  const at = path.find((member) => member.raw === undefined || isEmpty(member.value))
  if (!at || path.slice(0, path.indexOf(at)).some(({ value }) => value === undefined)) return undefined
  if (path.some(({ pointer }) => mayBeMisspelt(policy, pointer))) return undefined
  return { at, settings: SHARED_SETTINGS.filter((name) => policy[name].raw !== undefined) }
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0
