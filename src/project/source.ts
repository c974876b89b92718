/** What a run gets: texts or objects, with what their context says of them. */
import type { JsonObject } from '../json/member.ts'
import type { Builder } from '../kustomize/build.ts'
import type { Deployment } from '../kustomize/deployment.ts'
import type { ReadFile } from '../kustomize/files.ts'
import type { RuleSetting } from '../settings/settings.ts'
import type { UnjudgedCode } from '../settings/unjudged.ts'
import { compareText } from '../text/order.ts'
import { cachedBy } from '../world/cache.ts'
import { createTexts, type TextDocument, type Texts, writeDocuments } from '../yaml/documents.ts'
import type { TextProblem } from '../yaml/parse/problem.ts'

type SourceContext = {
  /** What decides the namespaces of the objects, beside the manifests themselves. */
  readonly namespace?: NamespaceHint
  /** Objects of one world can look each other up; a source may belong to several. Default: all sources are one world. */
  readonly world?: string | readonly string[]
  /** What it certainly comes to a cluster together with, by any names: a stream, the kustomizations that deploy it. */
  readonly together?: readonly string[]
  /** True where the objects are only looked up: nothing is reported about them. */
  readonly unjudged?: boolean
  /** Severities that hold for this source alone. */
  readonly rules?: Readonly<Record<string, RuleSetting>>
}

/** A text of manifests. */
export type TextSource = SourceContext & {
  /** How reports name it: a path relative to the working directory, with forward slashes. */
  readonly file: string
  readonly text: string
  /** Why it is not a text of manifests (its encoding, its size): it is then reported, not read. */
  readonly problem?: TextProblem
  /** True for a text that kustomizations build objects of: its objects are judged as built, and not by themselves. */
  readonly isPart?: boolean
  /** For the text of a kustomization that is built, and of what deploys some: how. They are built of the sources that are parts. */
  readonly builds?: readonly KustomizationBuild[]
  /** True for a part in which Flux substitutes variables, whoever builds it. */
  readonly isSubstituted?: boolean
  /** True where no finding is reported in it, as the settings ignore it. */
  readonly isIgnored?: boolean
}

/** An object that has no text, such as one that a cluster stores. A `List` stands for its items. */
export type ObjectSource = SourceContext & {
  readonly object: JsonObject
  /** How reports name it. Default: `<namespace>/<kind>/<name>`, or the `name` of an object that is none of Kubernetes. */
  readonly file?: string
  /** For an object that a kustomization builds. */
  readonly built?: BuiltOf
}

/** Where the values of a built object are written. */
type BuiltOf = {
  /** The folder of the kustomization, as reports name it. */
  readonly folder: string
  /** Where the value at a pointer of the object is written; for an absent one, where it would be. */
  placeOf(pointer: string): WrittenPlace
  /** The texts of the files that say something about the object. */
  readonly sources: readonly TextSource[]
  /** True for a file of which several kustomizations are built. */
  isShared(file: string): boolean
  /** The name that it has in its file. */
  readonly originalName: string
}

/** Where a value is written. */
export type WrittenPlace = {
  readonly source: TextSource
  readonly document: TextDocument
  /** JSON Pointer in the document. */
  readonly pointer: string
  /** For a value in an inline patch: the patch as a text of its own, which `pointer` leads to as a string. */
  readonly inline?: { readonly text: string; readonly document: TextDocument; readonly pointer: string }
}

/** How a kustomization is built. */
export type KustomizationBuild = {
  /** Its folder, as reports name it. */
  readonly folder: string
  /** `createBuilder` of `src/kustomize/`, which is loaded only where there are kustomizations. */
  readonly createBuilder: (read: ReadFile, texts?: Texts) => Builder
  /** False where none of its files is judged: nothing is then reported about the build. Default: true. */
  readonly isJudged?: boolean
  /** True where only what kustomize refuses is reported: no object of a system is named in its files. */
  readonly isOnlyRefused?: boolean
  /** What Flux or Argo CD make of it, and the object of theirs, as reports name it. */
  readonly deployment?: Deployment
  readonly name?: string
  /** The world of what it builds. Default: that of the source. */
  readonly world?: readonly string[]
  /** The namespace of objects that name none. Default: that of the source. */
  readonly namespace?: string
}

/** A text or an object to judge. */
export type Source = TextSource | ObjectSource

/** The namespace of a source's objects, as far as the context of the manifest decides it. */
export type NamespaceHint = {
  /** Holds whatever the manifest says (a kustomization's `namespace`). */
  readonly override?: string
  /** Holds where the manifest names none (`--namespace`). */
  readonly fallback?: string
  /**
   * Where nothing names one: the objects of all sources with the same value here get the same namespace, whichever it is.
   * Default for a text: its own objects do; `null`: nothing is known of them, not even that.
   */
  readonly sharedBy?: string | null
}

/** The worlds of a source; the empty name is that of sources that name none. */
export const worldsOf = ({ world = '' }: Pick<Source, 'world'>): readonly string[] =>
  typeof world === 'string' ? [world] : world

/** The sources of a run, and the documents of their texts: whatever is asked about them, each is parsed once. */
export type Reading = { readonly sources: readonly Source[]; readonly texts: Texts }

/** Sources, or a reading of them. */
export type Sources = Iterable<Source> | Reading

/** The reading of sources; one that was made already stays the same. */
export const readingOf = (sources: Sources, texts: Texts = createTexts()): Reading =>
  'texts' in sources ? sources : { sources: [...sources], texts }

/**
 * A reading for output that cannot do without names of namespaces, such as those of zones. `fallback` is the namespace of
 * manifests where nothing names one; without it nothing is known of them.
 */
export const withNamesOnly = ({ sources, texts }: Reading, fallback?: string): Reading => ({
  texts,
  sources: sources.map((source) => ({
    ...source,
    namespace: { ...(fallback === undefined ? {} : { fallback }), ...source.namespace, sharedBy: null },
  })),
})

/** Something that was not judged, and why. */
export type NotJudged = {
  /** As reports name it. */
  readonly file: string
  /** Where it begins, counted from 1, as far as it is known. */
  readonly line?: number
  /** A sentence without a full stop, and where there is one, what to do. */
  readonly reason: string
  /** The kind of the reason, by which a run can be made to fail. */
  readonly code: UnjudgedCode
  /** True where the user wants the run to fail for reasons of this kind. */
  readonly fails?: boolean
  /** True for what the user named and cannot be read: the run fails. */
  readonly isError?: boolean
}

/** What was not judged, by file, line and reason, each once. */
export const eachOnce = (all: readonly NotJudged[]): readonly NotJudged[] =>
  [...new Map(all.map((one) => [`${one.file}\n${one.line}\n${one.reason}`, one])).values()].sort(
    (a, b) => compareText(a.file, b.file) || (a.line ?? 0) - (b.line ?? 0) || compareText(a.reason, b.reason),
  )

/** Marks what makes the run fail. */
export const withFailing = (all: readonly NotJudged[], codes: readonly UnjudgedCode[]): readonly NotJudged[] =>
  codes.length === 0 ? all : all.map((one) => (codes.includes(one.code) ? { ...one, fails: true } : one))

/** How reports name a source. */
export const fileOf = (source: Source): string => source.file ?? ('object' in source ? objectPath(source.object) : '')

const writtenText = cachedBy((object: JsonObject): string => writeDocuments([object]))

/** The text of a source. That of an object is written when a report first needs it: places are counted in it. */
export const textOf = (source: Source): string => ('object' in source ? writtenText(source.object) : source.text)

/** `shop/RateLimitPolicy/coffee`, or `coffee` for an object without metadata; parts that are not strings are left out. */
function objectPath({ kind, metadata, name: ownName }: JsonObject): string {
  const { namespace, name = kind === undefined ? ownName : undefined }: { namespace?: unknown; name?: unknown } =
    Object(metadata)
  return [namespace, kind, name].filter((part) => typeof part === 'string').join('/')
}
