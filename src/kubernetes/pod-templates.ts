/** Where objects of custom kinds have their Pod templates, as a user says it. */
import type { Json, JsonObject } from '../json/member.ts'
import { escapeToken } from '../json/pointer.ts'

/** The Pod templates of a kind. */
export type PodTemplates = {
  readonly group: string
  readonly kind: string
  /** `spec.workers[*].template`; `[*]` and `.*` stand for each item or member. Without paths the kind has no templates. */
  readonly paths: readonly string[]
}

/** More templates than any object has: aliases of YAML could make millions of them. */
const MOST_TEMPLATES = 1000

/** The JSON Pointers of all that a path names in an object, in their order; undefined where it names too many. */
export function podTemplatesAt(object: JsonObject, path: string): readonly string[] | undefined {
  let found: readonly { readonly pointer: string; readonly value: Json | undefined }[] = [
    { pointer: '', value: object },
  ]
  for (const token of path.replaceAll('[*]', '.*').split('.')) {
    found = found.flatMap(({ pointer, value }) =>
      membersOf(value, token).map(([name, member]) => ({
        pointer: `${pointer}/${escapeToken(name)}`,
        value: member,
      })),
    )
    if (found.length > MOST_TEMPLATES) return undefined
  }
  return found.map(({ pointer }) => pointer)
}

function membersOf(value: Json | undefined, token: string): readonly (readonly [string, Json | undefined])[] {
  if (typeof value !== 'object' || value === null) return []
  const members: readonly (readonly [string, Json | undefined])[] = Object.entries(value)
  return members.filter(([name, member]) => (token === '*' || name === token) && (member ?? undefined) !== undefined)
}
