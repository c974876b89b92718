/** Kustomizations among the sources to the objects that they build. */
import type { DocumentRules } from '../engine/rule.ts'
import type { BuiltObject } from '../kustomize/built-object.ts'
import type { BuildNote } from '../kustomize/failure.ts'
import type { Place } from '../kustomize/traced.ts'
import { append } from '../text/append.ts'
import { compareText } from '../text/order.ts'
import type { TextDocument } from '../yaml/documents.ts'
import {
  fileOf,
  type KustomizationBuild,
  type ObjectSource,
  type Reading,
  type Source,
  type TextSource,
  type WrittenPlace,
  worldsOf,
} from './source.ts'

/** What one kustomization builds. */
export type BuiltSources = {
  readonly built: readonly ObjectSource[]
  readonly folder: string
  /** True where it may build more, which is not known. */
  readonly isPartial: boolean
  readonly worlds: readonly string[]
  /** What could not be built, and why. */
  readonly notes: readonly BuildNote[]
  /** Those of the notes that are certain to fail. */
  readonly refused: readonly RefusedBuild[]
}

/** What kustomize refuses to build, as a subject of rules. */
export type RefusedBuild = {
  readonly note: BuildNote
  /** The text with the mistake, or an object that is written there. */
  readonly source: Source
  readonly document: TextDocument
  readonly view: DocumentRules['views']['Kustomization']
}

/** A text and one of its builds. */
type Root = TextSource & { readonly build: KustomizationBuild; readonly title: string }

const rootsIn = (source: TextSource): readonly Root[] =>
  (source.builds ?? []).map((build) => {
    const { name: title = build.folder, world = source.world } = build
    return { ...source, build, title, ...(world === undefined ? {} : { world }) }
  })

/** Builds every kustomization among the sources, of the texts that are parts. */
export function buildAll({ sources, texts }: Reading): readonly BuiltSources[] {
  const roots: Root[] = []
  const parts = new Map<string, TextSource>()
  for (const source of sources) {
    if ('object' in source || !(source.isPart || source.builds)) continue
    parts.set(source.file, source)
    append(roots, rootsIn(source))
  }
  const [first] = roots
  if (!first) return []
  const builder = first.build.createBuilder((file) => parts.get(file), texts)
  const builds = roots.map((root) => ({ root, ...builder.build(root.build.folder, root.build.deployment) }))
  const isShared = sharing(
    builds.map(({ root, objects }) => [root, objects.flatMap(({ files }) => [...files].map(({ file }) => file))]),
  )
  const isSharedRefusal = sharing(
    builds.map(({ root, notes }) => [root, notes.flatMap(({ file, refusal }) => (refusal ? [file] : []))]),
  )
  return builds.map(({ root, objects, isPartial, notes: all }) => {
    const { isOnlyRefused = false } = root.build
    const notes = isOnlyRefused ? all.filter(({ refusal }) => refusal) : all
    return {
      built: objects
        .map((object) => sourceOf(object, root, { parts, isShared }))
        .sort((a, b) => compareText(fileOf(a), fileOf(b))),
      folder: root.title,
      isPartial: isPartial && !isOnlyRefused,
      notes,
      refused:
        root.build.isJudged === false
          ? []
          : notes.flatMap((note) => refusedBy(note, root, { parts, isShared: isSharedRefusal }) ?? []),
      worlds: worldsOf(root),
    }
  })
}

/** Which files count for several roots. */
function sharing(filesOf: readonly (readonly [Root, readonly string[]])[]): Sharing['isShared'] {
  const users = new Map<string, Set<Root>>()
  for (const [root, files] of filesOf)
    for (const file of files) users.set(file, (users.get(file) ?? new Set()).add(root))
  return (file) => (users.get(file)?.size ?? 0) > 1
}

/** The notes of several builds, each once. */
export const notesOf = (builds: readonly BuiltSources[]): readonly BuildNote[] => [
  ...new Map(
    builds.flatMap(({ notes }) => notes.map((note) => [`${note.file}: ${note.reason}`, note] as const)),
  ).values(),
]

/** The worlds that kustomizations have for themselves: they are named after their folders. */
export const ownWorldsOf = (builds: readonly BuiltSources[]): ReadonlySet<string> =>
  new Set(builds.filter(({ folder, worlds }) => worlds.includes(folder)).map(({ folder }) => folder))

type Sharing = { readonly parts: ReadonlyMap<string, TextSource>; readonly isShared: (file: string) => boolean }

function sourceOf(
  { object, files, originalName, placeOf }: BuiltObject,
  root: Root,
  { parts, isShared }: Sharing,
): ObjectSource {
  const own = placeOf('')
  const isJudged = [...files].some(({ file }) => parts.get(file)?.unjudged !== true)
  const rules = parts.get(own.part.source.file)?.rules
  const { world, title } = root
  const { namespace: fallback } = root.build
  return {
    object,
    file: own.part.source.file,
    namespace: {
      ...root.namespace,
      ...(fallback === undefined ? {} : { fallback }),
      sharedBy: `kustomization ${title}`,
    },
    together: [title],
    ...(world === undefined ? {} : { world }),
    ...(rules || root.rules ? { rules: { ...rules, ...root.rules } } : {}),
    ...(isJudged ? {} : { unjudged: true }),
    built: {
      folder: title,
      placeOf: (pointer) => writtenPlace(placeOf(pointer), parts),
      sources: [...files].flatMap(({ file }) => parts.get(file) ?? []),
      isShared,
      originalName,
    },
  }
}

function refusedBy(note: BuildNote, root: Root, { parts, isShared }: Sharing): RefusedBuild | undefined {
  if (!note.refusal) return undefined
  const { at, cause } = note.refusal
  const place = writtenPlace(at, parts)
  // Nothing is reported in a file that the settings ignore: the note stays.
  if (place.source.isIgnored) return undefined
  const { reason } = note
  const rules = { ...place.source.rules, ...root.rules }
  if (at.range) {
    const source = { ...place.source, rules }
    return { note, source, document: place.document, view: { cause, reason, place: at.range } }
  }
  const source: ObjectSource = {
    object: {},
    file: place.source.file,
    rules,
    built: { folder: root.title, placeOf: () => place, sources: [place.source], isShared, originalName: '' },
  }
  return { note, source, document: NO_DOCUMENT, view: { cause, reason, place: '' } }
}

const NO_DOCUMENT: TextDocument = { start: 0, end: 0, value: {}, problems: [] }

function writtenPlace({ part, pointer }: Place, parts: ReadonlyMap<string, TextSource>): WrittenPlace {
  const outer = part.inline ?? { part, pointer }
  const source = parts.get(outer.part.source.file)
  if (!source) throw new Error(`${outer.part.source.file} is built, and is not among the sources`)
  const place = { source, document: outer.part.document, pointer: outer.pointer }
  return part.inline ? { ...place, inline: { text: part.source.text, document: part.document, pointer } } : place
}
