/** Which objects of a world are defined more than once, and where. */
import { lazily } from '../world/cache.ts'
import { tabulate } from '../world/identities.ts'
import type { Definitions, KindObjects, ObjectView } from '../world/objects.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject } from './objects.ts'
import { fileOf, type Source } from './source.ts'

/**
 * The definitions among some objects. `isOne` is true where all of them certainly come to one cluster; otherwise only
 * those of one text, and those that one kustomization deploys: two files may be those of two clusters.
 */
export function definitionsIn(
  byKind: CollectedObjects['byKind'],
  named: (kind: string) => KindObjects,
  isOne: boolean,
): Definitions {
  const found = lazily(() => [...byKind.values()].flat().filter(canBeLookedUp))
  const byView = lazily(() => new Map(found().map((object) => [object.view, object])))
  const byIdentity = lazily(() =>
    tabulate<FoundObject>((add) => {
      for (const object of found()) {
        const { kind, namespace, name } = object.view.identity
        add(kind, namespace, name, object)
      }
    }),
  )
  const areOfOneWorld = (a: Source, b: Source) => isOne || a === b || areTogether(a, b)
  const namesakesOf = ({ identity: { kind, namespace, name } }: ObjectView): readonly FoundObject[] =>
    namespace === undefined || name === undefined ? [] : (byIdentity().at(kind, namespace, name) ?? [])
  const earlierThan = (object: FoundObject): FoundObject | undefined => {
    const namesakes = namesakesOf(object.view)
    const before = namesakes.slice(0, namesakes.indexOf(object))
    return before.find(({ origin }) => areOfOneWorld(origin.source, object.origin.source))
  }
  const isAmbiguous: Definitions['isAmbiguous'] = (kind, namespace, name) =>
    named(kind).index().isAmbiguous(kind, namespace, name)
  return {
    isAmbiguous,
    earlier(view) {
      const { kind, namespace, name } = view.identity
      const object = name !== undefined && isAmbiguous(kind, namespace, name) ? byView().get(view) : undefined
      const earlier = object && earlierThan(object)?.origin.source
      return earlier && { file: fileOf(earlier), isSameText: earlier === object.origin.source }
    },
    isRepeated: (kind, namespace, name) =>
      isAmbiguous(kind, namespace, name) &&
      (byIdentity().at(kind, namespace, name) ?? []).some((object) => earlierThan(object) !== undefined),
  }
}

const areTogether = ({ together: a = [] }: Source, { together: b = [] }: Source): boolean =>
  a.some((group) => b.includes(group))
