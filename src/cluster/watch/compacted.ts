/** Objects as a watch keeps them: thousands stay in memory, so without what no rule reads, and with texts shared. */
import { isObject, type JsonObject, setMember } from '../../json/member.ts'
import type { Kind } from '../../world/system.ts'
import { trimmed } from '../client/trimmed.ts'

type Needs = Pick<Kind, 'needsLastApplied'>

/**
 * The object without its status and without what the API server alone needs of its metadata, such as `uid`. Its values
 * become those of the result: use the object no more.
 */
export function compacted(object: JsonObject, kind: Needs): JsonObject {
  const { status: _, metadata, ...rest } = trimmed(object, kind)
  if (!isObject(metadata)) return rest
  const { name, namespace, labels, annotations, creationTimestamp } = metadata
  const kept: JsonObject = { ...rest, metadata: { name, namespace, labels, annotations, creationTimestamp } }
  shareTexts(kept)
  return kept
}

/**
 * As {@link compacted}, with what a controller that writes statuses needs as well: the status, what identifies this version
 * of the object, and of `managedFields` what `manager` has written to the status.
 */
export const withStatusOf =
  (manager: string) =>
  (object: JsonObject, kind: Needs): JsonObject => {
    const { status, metadata: before } = object
    const kept = compacted(object, kind)
    if (!isObject(before) || !isObject(kept.metadata)) return kept
    const { generation, uid, resourceVersion } = before
    const fields = Array.isArray(before.managedFields) ? before.managedFields.filter(isObject) : []
    const managedFields = fields.filter((one) => one.manager === manager && one.subresource === 'status')
    return { ...kept, metadata: { ...kept.metadata, generation, uid, resourceVersion, managedFields }, status }
  }

/** Texts that appear in thousands of objects, such as groups and keys; with one more all are forgotten. */
const MOST_TEXTS = 4096
const LONGEST_TEXT = 64
const texts = new Map<string, string>()

/** Replaces every short text within a value by an equal one that other objects have, too. */
function shareTexts(root: JsonObject): void {
  // Lists have members, too, named after their positions.
  const values: Record<string, unknown>[] = [root]
  for (let value = values.pop(); value; value = values.pop())
    for (const [name, member] of Object.entries(value)) {
      if (typeof member === 'object' && member !== null) values.push(member as Record<string, unknown>)
      else if (typeof member === 'string' && member.length <= LONGEST_TEXT) setMember(value, name, shared(member))
    }
}

function shared(text: string): string {
  const known = texts.get(text)
  if (known !== undefined) return known
  if (texts.size >= MOST_TEXTS) texts.clear()
  texts.set(text, text)
  return text
}
