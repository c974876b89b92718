/** Sources to objects: Lists are expanded, every object is read once, and objects that no system knows are left out. */

import { ignoreAnnotation } from '../engine/suppression.ts'
import { isObject, type JsonObject } from '../json/member.ts'
import { sharedNamespace } from '../kubernetes/metadata.ts'
import type { BuildNote } from '../kustomize/failure.ts'
import { append } from '../text/append.ts'
import { placeholderIn, placeholderOf } from '../text/placeholder.ts'
import { cachedBy } from '../world/cache.ts'
import { hidesKind, isOfGroup, type KindTable, mentionsOf, namesKindOf, ownKindOf } from '../world/kinds.ts'
import type { ObjectView } from '../world/objects.ts'
import type { Kind } from '../world/system.ts'
import type { TextDocument, Texts } from '../yaml/documents.ts'
import type { RefusedBuild } from './builds.ts'
import { mistakeOfObject, othersBeside } from './others.ts'
import type { Source, TextSource, WrittenPlace } from './source.ts'
import { mayBeFilledIn, templateMark } from './templates.ts'

/** Where an object was found. */
export type Origin = {
  readonly source: Source
  /** The document of a text; for an object without a text, its value alone. */
  readonly document: TextDocument
  /** JSON Pointer of the object within its document: empty, or `/items/3` in a List. */
  readonly base: string
}

/** Where a value of an object is written. For one that a kustomization builds that is elsewhere than the object itself. */
export function writtenAt(origin: Origin, pointer: string): WrittenPlace | (Origin & { readonly pointer: string }) {
  const { source, base } = origin
  return 'object' in source && source.built
    ? source.built.placeOf(base + pointer)
    : { ...origin, pointer: base + pointer }
}

/** An object and where it was found. */
export type FoundObject<View extends ObjectView = ObjectView> = {
  readonly kind: Kind
  readonly view: View
  readonly origin: Origin
  /** The name under which rules judge it; undefined where it is only looked up. */
  readonly judgedAs: string | undefined
  /** False for an object of a version that its system does not know. */
  readonly known: boolean
}

/** A document that another program fills in: a template with its mark, or one of its placeholders. */
export type FilledInLater = Pick<Origin, 'source' | 'document'> &
  ({ readonly template: string } | { readonly placeholder: string })

/** The objects of one world's sources. */
export type CollectedObjects = {
  readonly byKind: Map<string, FoundObject[]>
  /** Those that rules judge, of all kinds, in order of source and position. */
  readonly judged: FoundObject[]
  /** Those of them that carry the annotation which suppresses findings. */
  readonly annotated: FoundObject[]
  /** Documents with something wrong in their text. */
  readonly broken: Origin[]
  /** Objects of the kinds that systems read, in sources that are judged. */
  documents: number
  /** Templates, which are not read, and objects with values that are filled in later. */
  readonly filledInLater: FilledInLater[]
  /** What kustomizations of this world could not build, and why. */
  readonly notBuilt: BuildNote[]
  /** What kustomize refuses of it. */
  readonly refused: RefusedBuild[]
  /** True where some objects get another name before they reach the cluster or cannot be read: a missing object may be one of them. */
  partial: boolean
}

/** An empty collection, for {@link collectObjects} to fill. */
export const noCollectedObjects = (): CollectedObjects => ({
  byKind: new Map(),
  judged: [],
  annotated: [],
  broken: [],
  documents: 0,
  filledInLater: [],
  notBuilt: [],
  refused: [],
  partial: false,
})

/** Adds the objects of a collection to those of a world. */
export function addObjects(from: CollectedObjects, into: CollectedObjects): void {
  for (const [kind, objects] of from.byKind) {
    const others = into.byKind.get(kind) ?? []
    into.byKind.set(kind, others)
    append(others, objects)
  }
  append(into.judged, from.judged)
  append(into.annotated, from.annotated)
  append(into.broken, from.broken)
  into.documents += from.documents
  append(into.filledInLater, from.filledInLater)
  append(into.notBuilt, from.notBuilt)
  append(into.refused, from.refused)
  into.partial ||= from.partial
}

/** Which objects of sources are read, and the texts that were read before. */
export type HowToRead = { readonly kinds: KindTable; readonly texts: Texts }

/** Reads a source and adds its objects. */
export function collectObjects(source: Source, { kinds, texts }: HowToRead, into: CollectedObjects): void {
  if ('object' in source) {
    const document = { start: 0, end: 0, value: source.object, problems: [] }
    const isGated = (listItems(source.object) ?? [source.object]).some((one) => isObject(one) && kinds.isGated(one))
    const own = isGated ? kinds.within(JSON.stringify(source.object)) : kinds
    collect(source.object, { source, document, base: '' }, own, into)
    return
  }
  const { text, problem } = source
  const own = kinds.within(text)
  if (problem) {
    const document = { start: 0, end: text.length, value: undefined, problems: [problem] }
    into.broken.push({ source, document, base: '' })
    into.partial = true
    return
  }
  const reader = texts.of(text)
  const mentions = mentionsOf(own.kinds)
  const documents = reader.documents({ mentions })
  const found = documents.map((document) => collectDocument({ source, document, base: '' }, source, own, into))
  // A template may have any text around its documents.
  if (source.isPart || found.includes('template') || found.every((one) => one === 'other')) return
  const ours = documents.filter((_, index) => found[index] !== 'other')
  const known = documents.filter(
    ({ value }, at) => found[at] === 'object' || (found[at] === 'broken' && !isNameless(value, own)),
  )
  const others = othersBeside(text, { ours, broken: (mistakeOf) => reader.brokenBeside(known, mistakeOf) })
  append(
    into.filledInLater,
    others.filledIn.map((one) => ({ source, ...one })),
  )
  append(
    into.broken,
    others.broken.map((document) => ({ source, document, base: '' })),
  )
  into.partial ||= others.broken.some(({ start, end }) => mentions.test(text.slice(start, end)))
}

/** What a document of a text is: objects that rules judge or observe, a broken text or a template of one, or none of these. */
type FoundDocument = 'object' | 'broken' | 'template' | 'other'

/** Adds what is in one document of a text, unless it is a template. */
function collectDocument(origin: Origin, source: TextSource, kinds: KindTable, into: CollectedObjects): FoundDocument {
  const { document } = origin
  const written = source.text.slice(document.start, document.end)
  const isBroken = hasProblem(document, source)
  const mayBeTemplate = mayBeFilledIn(written)
  const isOurs = (isBroken || mayBeTemplate) && isReported(written, document, kinds)
  const mark = isOurs && mayBeTemplate ? templateMark(written, !isBroken) : undefined
  if (mark !== undefined) {
    into.filledInLater.push({ source, document, template: mark })
    into.partial = true
    return 'template'
  }
  const isReportedText = isBroken && isOurs
  if (isReportedText) addBroken(origin, into)
  // Of what Flux substitutes, the built object has what is left.
  if (mayBeTemplate && !source.isSubstituted)
    for (const object of judgedIn(document.value, kinds)) passPlaceholder(origin, object, into)
  if (source.isPart) return 'other'
  if (collect(document.value, origin, kinds, into)) return 'object'
  return isReportedText || isNameless(document.value, kinds) ? 'broken' : 'other'
}

function addBroken(origin: Origin, into: CollectedObjects): void {
  into.broken.push(origin)
  if (origin.document.value === undefined) into.partial = true
}

/** True for an object in the group of a kind that is known without its name, which names none. */
const isNameless = (value: unknown, { kinds }: KindTable): boolean =>
  isObject(value) &&
  mistakeOfObject(value) !== undefined &&
  kinds.some(({ signs, group }) => signs !== undefined && isOfGroup(value, group))

/** The objects of a document that rules judge. */
const judgedIn = (value: unknown, kinds: KindTable): readonly JsonObject[] =>
  isObject(value)
    ? (listItems(value) ?? [value]).filter(isObject).filter((one) => kinds.recognise(one)?.judgedAs !== undefined)
    : []

function passPlaceholder(
  { source, document }: Pick<Origin, 'source' | 'document'>,
  object: JsonObject,
  into: CollectedObjects,
): void {
  const placeholder = placeholderOf(object)
  if (placeholder !== undefined) into.filledInLater.push({ source, document, placeholder })
}

/** True for an object that other files than its own may have given a placeholder: its own has a note anyway. */
const isFilledElsewhere = (source: Source): boolean =>
  'object' in source &&
  source.built !== undefined &&
  !source.built.sources.some((own) => own.file === source.file && mayBeTemplateText(own))

/** Asked for each object of a text. */
const mayBeTemplateText = cachedBy(({ text, isSubstituted }: TextSource) => !isSubstituted && mayBeFilledIn(text))

/** True for a document with something wrong. kustomize reads what follows JSON in a text, which old kubectl does not. */
const hasProblem = ({ value, problems }: TextDocument, { isPart }: TextSource): boolean =>
  problems.length > 0 && (!isPart || value === undefined || problems.some(({ code }) => code === 'duplicate-key'))

/** The API group of a document that states one, where it begins its line. */
const API_VERSION = /^["']?apiVersion["']?\s*:\s*["']?([\w.-]+)\/?/m

/** True for a text that cannot be parsed and whose syntax is reported, as it would be one of ours. */
function isReported(text: string, { value }: TextDocument, { kinds, recognise }: KindTable): boolean {
  const isShaped = isObject(value) && recognise(value)?.kind.shape !== undefined
  if (isShaped || (value === undefined && kinds.some(({ shape }) => shape?.isMeant(text)))) return true
  if (kinds.some((kind) => kind.isMeant?.(text))) return true
  if (!namesKindOf(kinds).test(text) && kinds.some(({ shape }) => shape?.mentions.test(text))) return false
  if (!ownKindOf(kinds).test(text) && !hidesKind(text)) return false
  const group = API_VERSION.exec(text)?.[1]
  if (group === undefined || group === 'v1') return true
  return kinds.some((kind) => kind.group === group || kind.isOurs?.(`${group}/`))
}

/** Adds the objects of a value. True where rules judge or observe one of them. */
function collect(value: unknown, origin: Origin, kinds: KindTable, into: CollectedObjects): boolean {
  if (!isObject(value)) return false
  const items = listItems(value)
  if (!items) return add(value, origin, kinds, into)
  let isOurs = false
  for (const [index, item] of items.entries())
    isOurs = collect(item, { ...origin, base: `${origin.base}/items/${index}` }, kinds, into) || isOurs
  return isOurs
}

/** The items of a `List` or of a `RateLimitPolicyList` and its like. */
function listItems({ kind, items }: JsonObject): readonly unknown[] | undefined {
  return typeof kind === 'string' && kind.endsWith('List') && Array.isArray(items) ? items : undefined
}

function add(object: JsonObject, origin: Origin, kinds: KindTable, into: CollectedObjects): boolean {
  const recognised = kinds.recognise(object)
  if (!recognised) return false
  const { kind, judgedAs, known } = recognised
  const { unjudged = false } = origin.source
  if (!unjudged) into.documents += 1
  const view = kind.read(object, namespaceOf(object, origin.source))
  const placeholder = placeholderIn(view.identity.name ?? '')
  // Any object may have the name that such a one gets.
  if (placeholder !== undefined) into.partial = true
  if (placeholder !== undefined && judgedAs === undefined) into.filledInLater.push({ ...origin, placeholder })
  const found: FoundObject = { kind, view, origin, judgedAs, known }
  addFound(found, into)
  if (judgedAs === undefined) return kind.observed === true
  if (isFilledElsewhere(origin.source)) passPlaceholder(origin, object, into)
  if (ignoreAnnotation(object) !== undefined) into.annotated.push(found)
  return true
}

/** Adds an object that has been read. */
export function addFound(found: FoundObject, into: Pick<CollectedObjects, 'byKind' | 'judged'>): void {
  const { kind } = found.kind
  const others = into.byKind.get(kind)
  if (others) others.push(found)
  else into.byKind.set(kind, [found])
  if (found.judgedAs !== undefined) into.judged.push(found)
}

/** The namespace of an object: its name, one that it shares with others, or undefined where nothing is known of it. */
function namespaceOf({ metadata }: JsonObject, source: Source): string | undefined {
  const { override, fallback, sharedBy = 'object' in source ? null : `text ${source.file}` } = source.namespace ?? {}
  if (override) return override
  const own = isObject(metadata) ? metadata.namespace : undefined
  if (typeof own === 'string' && own !== '') {
    if (placeholderIn(own) === undefined) return own
    return sharedBy === null ? undefined : sharedNamespace(`placeholder ${own}`)
  }
  return fallback ?? (sharedBy === null ? undefined : sharedNamespace(sharedBy))
}

/** The identity of a found object. */
export const identityOf = ({ view }: FoundObject): FoundObject['view']['identity'] => view.identity

/** True for an object that others can look up: of a known version. */
export const canBeLookedUp = ({ known }: Pick<FoundObject, 'known'>): boolean => known
