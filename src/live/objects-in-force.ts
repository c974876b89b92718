/** Objects as nginx has accepted them. */
import { RATE_LIMIT_POLICY } from '../gateway/lookups/policies.ts'
import type { Refusal } from '../gateway/status/status.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { fullName, readIdentity, readMetadata } from '../kubernetes/metadata.ts'

/** The objects that are in force: of a policy that nginx refused, what it accepted last. */
export function acceptedObjects(
  before: readonly JsonObject[],
  now: readonly JsonObject[],
  refused: ReadonlyMap<string, Refusal>,
): readonly JsonObject[] {
  const last = new Map(before.map((object) => [policyName(object), object]))
  return now.flatMap((object) => {
    const name = policyName(object)
    const refusal = name === undefined ? undefined : refused.get(name)
    if (!refusal) return [object]
    const kept = refusal.keeps === 'last-accepted' ? last.get(name) : undefined
    return kept ? [kept] : []
  })
}

const policyName = (object: JsonObject): string | undefined =>
  object.kind === RATE_LIMIT_POLICY.kind
    ? fullName(readIdentity(RATE_LIMIT_POLICY.kind, readMetadata(object)))
    : undefined

/** Whether a policy among the objects rejects requests with this code. */
export const isRejectCode = (code: number, objects: readonly JsonObject[]): boolean =>
  objects.some(
    ({ kind, spec }) =>
      kind === RATE_LIMIT_POLICY.kind &&
      isObject(spec) &&
      isObject(spec.rateLimit) &&
      spec.rateLimit.rejectCode === code,
  )
