/** Which objects of a world are defined more than once, and where. */
import { compareText } from '../text/order.ts'
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
      if (!earlier) return undefined
      const [source, file] = [object.origin.source, fileOf(earlier)]
      const isSameBuild = buildOf(source) !== undefined && buildOf(source) === buildOf(earlier)
      return { file, isSameFile: file === fileOf(source), isSameBuild }
    },
    isRepeated: (kind, namespace, name) =>
      isAmbiguous(kind, namespace, name) &&
      (byIdentity().at(kind, namespace, name) ?? []).some((object) => earlierThan(object) !== undefined),
    mayBeApart: lazily(() => {
      if (isOne || [...byKind.keys()].every((kind) => areUnique(named(kind)))) return undefined
      const groups = found().map(({ view }) => namesakesOf(view))
      const branches = branchesOf(new Set(groups), areOfOneWorld)
      if (branches.size === 0) return undefined
      const pathOf = (view: ObjectView) => {
        const object = byView().get(view)
        return object ? [fileOf(object.origin.source)] : []
      }
      return (views) => {
        const files = [...new Set(views.flatMap(pathOf))]
        return files.some((file, index) => files.slice(0, index).some((other) => branches.has(branching(file, other))))
      }
    }),
  }
}

const areUnique = (objects: KindObjects): boolean => objects.index().unique.length === objects.all().length

/** Where the files part that define an object twice without being of one world. */
function branchesOf(
  groups: Iterable<readonly FoundObject[]>,
  areOfOneWorld: (a: Source, b: Source) => boolean,
): ReadonlySet<string> {
  const branches = new Set<string>()
  for (const group of groups)
    for (const [index, { origin: a }] of group.entries())
      for (const { origin: b } of group.slice(0, index))
        if (!areOfOneWorld(a.source, b.source)) branches.add(branching(fileOf(a.source), fileOf(b.source)))
  return branches
}

/**
 * How two paths part: the names of the folders in which they first differ, wherever these are (`prod` and `staging`), or
 * of the files where all folders are the same.
 */
function branching(a: string, b: string): string {
  const [one, other] = [a.split('/'), b.split('/')]
  const at = one.findIndex((name, index) => name !== other[index])
  const nameIn = (path: readonly string[]) =>
    at === path.length - 1 && one.length !== other.length ? `${path.slice(0, at).join('/')}/.` : (path[at] ?? '')
  return [nameIn(one), nameIn(other)].sort(compareText).join('\n')
}

const buildOf = (source: Source): string | undefined => ('object' in source ? source.built?.folder : undefined)

const areTogether = ({ together: a = [] }: Source, { together: b = [] }: Source): boolean =>
  a.some((group) => b.includes(group))
