/** Objects without what no rule reads, because thousands of them stay in memory. */
import { isObject, type JsonObject } from '../../json/member.ts'
import type { Kind } from '../../world/system.ts'

/** Written by kubectl: a copy of the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** The object without `managedFields`, and without kubectl's copy of it unless its kind needs that. */
export function trimmed(object: JsonObject, { needsLastApplied }: Pick<Kind, 'needsLastApplied'>): JsonObject {
  if (!isObject(object.metadata)) return object
  // A new object: one with a deleted member takes several times the memory.
  const { managedFields: _, ...metadata } = object.metadata
  const { annotations } = metadata
  if (!isObject(annotations) || !(LAST_APPLIED in annotations) || needsLastApplied?.(object) === true)
    return { ...object, metadata }
  const { [LAST_APPLIED]: __, ...kept } = annotations
  return { ...object, metadata: { ...metadata, annotations: kept } }
}
