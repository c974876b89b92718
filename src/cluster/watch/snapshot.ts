/** The objects of a kind as the watches hold them, and the views of them. */

import type { PolicyView } from '../../gateway/objects/policy.ts'
import type { JsonObject } from '../../json/member.ts'
import { buildWorld, type Inhabitants, NO_INHABITANTS } from '../../world/build.ts'
import type { World } from '../../world/world.ts'

/** The objects of a kind; as long as nothing of it changes, one and the same. */
export type Stock = {
  readonly objects: readonly JsonObject[]
  /** False where nobody knows whether these are all: then none of them is spoken of. */
  readonly known: boolean
}

/** What may be spoken of. */
export const shown = ({ objects, known }: Stock): readonly JsonObject[] => (known ? objects : [])

/** Views are kept beside their objects: one changed object does not have all others read again. */
export function oncePerObject<View>(read: (object: JsonObject) => View): (object: JsonObject) => View {
  const views = new WeakMap<JsonObject, View>()
  return (object) => {
    const known = views.get(object)
    if (known !== undefined) return known
    const view = read(object)
    views.set(object, view)
    return view
  }
}

/** A world of some inhabitants and no others. */
export const worldOf = (
  inhabitants: Partial<Inhabitants>,
  closed: boolean,
  before: readonly PolicyView[] = [],
): World => buildWorld({ ...NO_INHABITANTS, ...inhabitants }, { closed, before })
