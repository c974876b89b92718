/** Objects without what nobody reads of them, as thousands stay in memory. */

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Kept by kubectl for itself: the whole object once more. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Takes the bookkeeping of writers out of an object, in place, and gives the object. */
export function slim<Value>(object: Value): Value {
  const metadata = isRecord(object) ? object.metadata : undefined
  if (!isRecord(metadata)) return object
  delete metadata.managedFields
  if (isRecord(metadata.annotations)) delete metadata.annotations[LAST_APPLIED]
  return object
}
