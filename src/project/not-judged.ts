/** What a world does not know enough about to judge, with what would change that. */
import { fullName, knownNamespace, mayShareNamespace } from '../kubernetes/metadata.ts'
import { lazily } from '../world/cache.ts'
import { tabulate } from '../world/identities.ts'
import type { System } from '../world/system.ts'
import { canBeLookedUp, type FoundObject } from './objects.ts'
import { fileOf, type NotJudged } from './source.ts'
import type { JudgedWorld } from './subjects.ts'

const TELL_APART = 'if these are several clusters, list the files of each in "worlds" of the settings'
const NAME_ONE = '--namespace sets the namespace of manifests that name none'

/** What is not judged of the objects of a world. */
export function* notJudgedIn(judgedWorld: JudgedWorld, systems: readonly System[]): Iterable<NotJudged> {
  const { objects } = judgedWorld
  yield* objects.notJudged
  const named = lazily(() => {
    const known = [...objects.byKind.values()].flat().filter(canBeLookedUp)
    return tabulate(known.map((one) => [[{ ...one.view.identity, namespace: undefined }], one]))
  })
  const namesakesOf: Namesakes = (kind, name) => named().at(kind, undefined, name) ?? []
  for (const found of objects.judged) {
    const { source } = found.origin
    if (source.unjudged || !found.known) continue
    const file = fileOf(source)
    for (const reason of reasonsOf(found, namesakesOf, judgedWorld, systems)) yield { file, reason }
  }
}

/** The objects of a kind and a name, in whatever namespace. */
type Namesakes = (kind: string, name: string) => readonly FoundObject[]

function* reasonsOf(
  found: FoundObject,
  namesakesOf: Namesakes,
  { world }: JudgedWorld,
  systems: readonly System[],
): Iterable<string> {
  const { definitions } = world.lookups
  const { view } = found
  const { kind, namespace, name } = view.identity
  const same = name === undefined ? [] : namesakesOf(kind, name).filter(isIn(namespace))
  if (same.length > 1 && name !== undefined) {
    // Said at the first of them, and not again of their targets.
    if (same[0] === found && !definitions.isRepeated(kind, namespace, name))
      yield `${titleOf(view.identity)} is also defined in ${filesOf(same.slice(1))}, so its conflicts are not judged: ${TELL_APART}`
    return
  }
  for (const target of systems.flatMap(({ references }) => references?.(view) ?? [])) {
    const namesakes = namesakesOf(target.kind, target.name)
    const here = namesakes.filter(isIn(namespace))
    if (here.length > 1 && !definitions.isRepeated(target.kind, namespace, target.name))
      yield `its target ${titleOf({ ...target, namespace })} is defined in ${filesOf(here)}, so what it shares with other policies is not judged: ${TELL_APART}`
    const [other] =
      here.length > 0 ? [] : namesakes.filter((one) => mayShareNamespace(one.view.identity.namespace, namespace))
    if (other) yield `${whoIsUnnamed(namespace, other)}, so it is not known whether that is its target: ${NAME_ONE}`
  }
}

/** The object itself or its possible target names no namespace. */
function whoIsUnnamed(namespace: string | undefined, { view, origin }: FoundObject): string {
  const target = `${titleOf(view.identity)} of ${fileOf(origin.source)}`
  return knownNamespace(namespace) === undefined
    ? `it names no namespace, and ${target} may be in another one`
    : `${target} names no namespace`
}

const isIn =
  (namespace: string | undefined) =>
  (one: FoundObject): boolean =>
    namespace !== undefined && one.view.identity.namespace === namespace

const titleOf = (identity: {
  readonly kind: string
  readonly namespace: string | undefined
  readonly name?: string | undefined
}): string => `${identity.kind} ${fullName(identity)}`

/** `a.yaml and b.yaml`, `a.yaml and 4 others` */
function filesOf(objects: readonly FoundObject[]): string {
  const files = [...new Set(objects.map(({ origin }) => fileOf(origin.source)))]
  return files.length > 2 ? `${files[0]} and ${files.length - 1} others` : files.join(' and ')
}
