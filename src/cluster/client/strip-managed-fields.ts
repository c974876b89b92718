/** Objects without their managed fields, because thousands of them stay in memory. */
import { isObject, type JsonObject } from '../../json/member.ts'

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Written by kubectl: a copy of the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/**
 * Removes `managedFields` from an object, in place, and kubectl's last-applied annotation unless the object needs it;
 * returns the object.
 */
export function stripManagedFields<Value>(object: Value, needsLastApplied?: (object: JsonObject) => boolean): Value {
  const metadata = isRecord(object) ? object.metadata : undefined
  if (!isRecord(metadata)) return object
  delete metadata.managedFields
  const isNeeded = isObject(object) && needsLastApplied?.(object) === true
  if (isRecord(metadata.annotations) && !isNeeded) delete metadata.annotations[LAST_APPLIED]
  return object
}
