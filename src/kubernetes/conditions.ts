/** Conditions in the status of objects. Source: Kubernetes API conventions, "Typical status properties". */
import { asList, asString, isObject, type Json, type JsonObject, member } from '../json/member.ts'

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

/** The generation of an object that comes from a cluster, as a condition states it. */
export function observed({ metadata }: JsonObject): Pick<Condition, 'observedGeneration'> {
  const generation = isObject(metadata) ? metadata.generation : undefined
  return typeof generation === 'number' && Number.isInteger(generation) ? { observedGeneration: generation } : {}
}

/**
 * When a condition got its status: as recorded in `before`; `now` where it had another status there; for one that is not
 * there when the object was created (`created`, seconds since 1970), if that is known, else `now`. RFC 3339.
 */
export function transitionTime(
  { type, status }: Pick<Condition, 'type' | 'status'>,
  before: readonly Json[],
  created: number | undefined,
  now: string,
): string {
  const recorded = before.find((one) => textAt(one, 'type') === type)
  const time = textAt(recorded, 'lastTransitionTime')
  if (time !== undefined) return textAt(recorded, 'status') === status ? time : now
  return created === undefined ? now : new Date(created * 1000).toISOString().replace('.000Z', 'Z')
}

/** A list member; empty where there is none. */
export const listAt = (parent: Json | undefined, name: string): readonly Json[] =>
  member(parent, '', name, asList).value ?? []

/** A string member. */
export const textAt = (parent: Json | undefined, name: string): string | undefined =>
  member(parent, '', name, asString).value
