/** Objects without their managed fields, because thousands of them stay in memory. */

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Written by kubectl: a copy of the whole object. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Removes `managedFields` and kubectl's last-applied annotation from an object, in place; returns the object. */
export function stripManagedFields<Value>(object: Value): Value {
  const metadata = isRecord(object) ? object.metadata : undefined
  if (!isRecord(metadata)) return object
  delete metadata.managedFields
  if (isRecord(metadata.annotations)) delete metadata.annotations[LAST_APPLIED]
  return object
}
