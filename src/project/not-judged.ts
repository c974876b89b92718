/** What a world does not know enough about to judge, with what would change that. */
import { fullName, type Identity, knownNamespace, mayShareNamespace } from '../kubernetes/metadata.ts'
import { cachedBy, lazily } from '../world/cache.ts'
import { type IdentityTable, tableByName, tableOf, tabulate } from '../world/identities.ts'
import type { System } from '../world/system.ts'
import { type CollectedObjects, canBeLookedUp, type FilledInLater, type FoundObject, identityOf } from './objects.ts'
import { fileOf, type NotJudged } from './source.ts'
import type { JudgedWorld } from './subjects.ts'

const TELL_APART = 'if these are several clusters, list the files of each in "worlds" of the settings'
const NAME_ONE = '--namespace sets the namespace of manifests that name none'

/** What is not judged of the objects of a world. */
export function* notJudgedIn(judgedWorld: JudgedWorld, systems: readonly System[]): Iterable<NotJudged> {
  const { objects } = judgedWorld
  for (const one of objects.filledInLater)
    if (!one.source.unjudged) yield { file: fileOf(one.source), ...filledInLater(one) }
  const around: Around = {
    namesakes: namesakesAmong(objects),
    unclear: lazily(() => unclearTargets(judgedWorld, systems)),
  }
  for (const found of objects.judged) {
    const { source } = found.origin
    if (source.unjudged || !found.known) continue
    const file = fileOf(source)
    for (const why of reasonsOf(found, around, judgedWorld, systems)) yield { file, ...why }
  }
}

type Why = Pick<NotJudged, 'code' | 'reason'>

const ambiguous = (reason: string): Why => ({ code: 'ambiguous', reason })

const filledInLater = (one: FilledInLater): Why =>
  'template' in one
    ? {
        code: 'template',
        reason: `a template (${one.template}), so it is not judged: lint what is rendered of it`,
      }
    : {
        code: 'placeholder',
        reason: `values such as ${one.placeholder} are filled in later: findings about them are left out`,
      }

/** The objects of a kind and a name; the lists stay the same. */
type Namesakes = {
  /** Those of a namespace. */
  in(namespace: string | undefined, kind: string, name: string): readonly FoundObject[]
  /** One that may be in the namespace or not, as it or the namespace is not known. */
  near(namespace: string | undefined, kind: string, name: string): FoundObject | undefined
}

function namesakesAmong({ byKind }: CollectedObjects): Namesakes {
  const all = lazily(() => [...byKind.values()].flat().filter(canBeLookedUp))
  const byIdentity = lazily(() => tableOf(all(), identityOf))
  const byName = lazily(() => tableByName(all(), identityOf))
  const isUnplaced = ({ view }: FoundObject) => knownNamespace(view.identity.namespace) === undefined
  const unplaced = lazily(() => tableByName(all().filter(isUnplaced), identityOf))
  return {
    in: (namespace, kind, name) => (namespace === undefined ? NONE : (byIdentity().at(kind, namespace, name) ?? NONE)),
    near(namespace, kind, name) {
      const table = knownNamespace(namespace) === undefined ? byName() : unplaced()
      return table.at(kind, undefined, name)?.find(({ view }) => mayShareNamespace(view.identity.namespace, namespace))
    },
  }
}

const NONE: readonly FoundObject[] = []

/** What is known of the world around a judged object. */
type Around = {
  readonly namesakes: Namesakes
  /** The targets that several objects share which may be of several clusters. */
  unclear(): IdentityTable<FoundObject>
}

/** The targets that judged objects share although they may be of several clusters. */
function unclearTargets({ objects, world }: JudgedWorld, systems: readonly System[]): IdentityTable<FoundObject> {
  const mayBeApart = world.lookups.definitions.mayBeApart()
  const byTarget = (judged: readonly FoundObject[], isWanted: (target: Identity) => boolean) =>
    tabulate<FoundObject>((add) => {
      for (const found of judged)
        for (const target of systems.flatMap(({ references }) => references?.(found.view) ?? [])) {
          const { namespace } = found.view.identity
          if (namespace !== undefined && isWanted({ ...target, namespace }))
            add(target.kind, namespace, target.name, found)
        }
    })
  if (!mayBeApart) return byTarget([], () => false)
  const judged = objects.judged.filter(canBeLookedUp)
  const sharing = byTarget(judged, () => true)
  const areApart = cachedBy((group: readonly FoundObject[]) => mayBeApart(group.map(({ view }) => view)))
  return byTarget(judged, ({ kind, namespace, name }) => areApart(sharing.at(kind, namespace, name) ?? []))
}

function* reasonsOf(
  found: FoundObject,
  around: Around,
  judgedWorld: JudgedWorld,
  systems: readonly System[],
): Iterable<Why> {
  const { view } = found
  const { kind, namespace, name } = view.identity
  if (name !== undefined && judgedWorld.byKind.named(kind).index().isAmbiguous(kind, namespace, name)) {
    const same = around.namesakes.in(namespace, kind, name)
    // Said at the first of them, and not again of their targets.
    if (same[0] === found && !judgedWorld.world.lookups.definitions.isRepeated(kind, namespace, name))
      yield ambiguous(
        `${titleOf(view.identity)} is also defined in ${filesOf(same.slice(1))}, so its conflicts are not judged: ${TELL_APART}`,
      )
    return
  }
  for (const target of systems.flatMap(({ references }) => references?.(view) ?? []))
    yield* reasonsOfTarget(target, namespace, around, judgedWorld)
}

function* reasonsOfTarget(
  target: { readonly kind: string; readonly name: string },
  namespace: string | undefined,
  { namesakes, unclear }: Around,
  { world, byKind }: JudgedWorld,
): Iterable<Why> {
  const { kind, name } = target
  const title = () => `its target ${titleOf({ ...target, namespace })}`
  const objects = byKind.named(kind)
  const isClear = objects.all().length === 0 || objects.index().get(kind, namespace, name).state === 'found'
  const here = isClear ? NONE : namesakes.in(namespace, kind, name)
  if (here.length > 1 && !world.lookups.definitions.isRepeated(kind, namespace, name))
    yield ambiguous(
      `${title()} is defined in ${filesOf(here)}, so what it shares with other policies is not judged: ${TELL_APART}`,
    )
  const other = isClear || here.length > 0 ? undefined : namesakes.near(namespace, kind, name)
  if (other)
    yield {
      code: 'namespace',
      reason: `${whoIsUnnamed(namespace, other)}, so it is not known whether that is its target: ${NAME_ONE}`,
    }
  if (here.length < 2 && unclear().at(kind, namespace, name))
    yield ambiguous(
      `${title()} may be another object for each of the policies on it, so what it shares with them is not judged: ${TELL_APART}`,
    )
}

/** The object itself or its possible target names no namespace. */
function whoIsUnnamed(namespace: string | undefined, { view, origin }: FoundObject): string {
  const target = `${titleOf(view.identity)} of ${fileOf(origin.source)}`
  return knownNamespace(namespace) === undefined
    ? `it names no namespace, and ${target} may be in another one`
    : `${target} names no namespace`
}

const titleOf = (identity: {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name?: string | undefined
}): string => `${identity.kind} ${fullName(identity)}`

/** `a.yaml and b.yaml`, `a.yaml and 4 others` */
const filesOf = cachedBy((objects: readonly FoundObject[]): string => {
  const files = [...new Set(objects.map(({ origin }) => fileOf(origin.source)))]
  return files.length > 2 ? `${files[0]} and ${files.length - 1} others` : files.join(' and ')
})
