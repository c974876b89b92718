/** Conditions in the status of objects. Source: Kubernetes, conditions; specification of RateLimitPolicy, "Status of the policy". */
import { asList, asObject, asText, isObject, type Json, type JsonObject, member } from '../json/member.ts'

/** A condition of the status of any object. */
export type Condition = {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly reason: string
  readonly message: string
  /** The object's `metadata.generation`; absent where the manifest has none. */
  readonly observedGeneration?: number
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime: string
}

/** The generation of an object that has lived in a cluster. */
export function observed({ metadata }: JsonObject): Pick<Condition, 'observedGeneration'> {
  const generation = isObject(metadata) ? metadata.generation : undefined
  return typeof generation === 'number' && Number.isInteger(generation) ? { observedGeneration: generation } : {}
}

/** When a condition came to hold: as recorded, else when the object was created, else now. `created` is in seconds. */
export function transitionTime(
  { type, status }: Pick<Condition, 'type' | 'status'>,
  before: readonly Json[],
  created: number | undefined,
  now: string,
): string {
  const recorded = before.find((one) => textAt(one, 'type') === type && textAt(one, 'status') === status)
  const time = textAt(recorded, 'lastTransitionTime')
  if (time !== undefined) return time
  return created === undefined ? now : new Date(created * 1000).toISOString().replace('.000Z', 'Z')
}

/** The conditions that a policy's status has for a target so far, from one controller. */
export function conditionsBefore(
  object: JsonObject,
  { kind, name }: { readonly kind: string; readonly name: string },
  controllerName: string,
): readonly Json[] {
  const ancestors = listAt(member(object, '', 'status', asObject).value, 'ancestors')
  const own = ancestors.find((ancestor) => {
    const ref = member(ancestor, '', 'ancestorRef', asObject).value
    const isSame = textAt(ref, 'kind') === kind && textAt(ref, 'name') === name
    return isSame && textAt(ancestor, 'controllerName') === controllerName
  })
  return listAt(own, 'conditions')
}

/** A member that is a list; empty where there is none. */
export const listAt = (parent: Json | undefined, name: string): readonly Json[] =>
  member(parent, '', name, asList).value ?? []

/** A member that is a text. */
export const textAt = (parent: Json | undefined, name: string): string | undefined =>
  member(parent, '', name, asText).value
