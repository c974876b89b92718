/** Which objects of a world are defined more than once, and where. */
import { cachedBy, lazily } from '../world/cache.ts'
import { tableOf } from '../world/identities.ts'
import type { Definitions, KindObjects, ObjectView } from '../world/objects.ts'
import { branchesOf } from './branches.ts'
import { type CollectedObjects, canBeLookedUp, type FoundObject, identityOf } from './objects.ts'
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
  const byIdentity = lazily(() => tableOf(found(), identityOf))
  /** What is defined again among the definitions of one identity, with its first definition. */
  const repeatedIn = cachedBy((namesakes: readonly FoundObject[]) => repetitions(namesakes, isOne))
  const namesakesOf = ({ identity: { kind, namespace, name } }: Pick<ObjectView, 'identity'>) =>
    (namespace === undefined || name === undefined ? undefined : byIdentity().at(kind, namespace, name)) ?? NONE
  const repeated = (kind: string, namespace: string | undefined, name: string) =>
    repeatedIn(namesakesOf({ identity: { kind, namespace, name } }))
  const isAmbiguous: Definitions['isAmbiguous'] = (kind, namespace, name) =>
    named(kind).index().isAmbiguous(kind, namespace, name)
  return {
    isAmbiguous,
    earlier(view) {
      const { kind, namespace, name } = view.identity
      const object = name !== undefined && isAmbiguous(kind, namespace, name) ? byView().get(view) : undefined
      const earlier = object && repeated(kind, namespace, name ?? '').get(object)?.origin.source
      if (!earlier) return undefined
      const [source, file] = [object.origin.source, fileOf(earlier)]
      const isSameBuild = buildOf(source) !== undefined && buildOf(source) === buildOf(earlier)
      return { file, isSameFile: file === fileOf(source), isSameBuild }
    },
    isRepeated: (kind, namespace, name) =>
      isAmbiguous(kind, namespace, name) && repeated(kind, namespace, name).size > 0,
    mayBeApart: lazily(() => {
      if (isOne || [...byKind.keys()].every((kind) => areUnique(named(kind)))) return undefined
      const groups = new Set(found().map(({ view }) => namesakesOf(view)))
      const apart = [...groups].filter((group) => repeatedIn(group).size < group.length - 1)
      if (apart.length === 0) return undefined
      const branches = branchesOf(apart.map((group) => group.map(fileOfObject)))
      return (views) => branches.separate(views.flatMap((view) => byView().get(view) ?? []).map(fileOfObject))
    }),
  }
}

const NONE: readonly FoundObject[] = []

const areUnique = (objects: KindObjects): boolean => objects.index().unique.length === objects.all().length

const fileOfObject = ({ origin }: FoundObject): string => fileOf(origin.source)

const buildOf = (source: Source): string | undefined => ('object' in source ? source.built?.folder : undefined)

/** The objects that have an earlier definition of the same world, each with the first one. */
function repetitions(namesakes: readonly FoundObject[], isOne: boolean): ReadonlyMap<FoundObject, FoundObject> {
  /** The position of the first object of each group. */
  const first = new Map<unknown, number>()
  const repeated = new Map<FoundObject, FoundObject>()
  for (const [position, object] of namesakes.entries()) {
    const groups = isOne ? ['all'] : groupsOf(object.origin.source)
    const earliest = namesakes[Math.min(...groups.flatMap((group) => first.get(group) ?? []))]
    if (earliest) repeated.set(object, earliest)
    for (const group of groups) if (!first.has(group)) first.set(group, position)
  }
  return repeated
}

/** What makes objects belong together: their text, and the kustomizations that deploy them. */
const groupsOf = (source: Source): readonly unknown[] => [source, ...(source.together ?? [])]
