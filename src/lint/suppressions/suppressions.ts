/** The suppressions of a run: comments in texts and annotations of objects. */
import type { Finding } from '../../engine/finding.ts'
import { IGNORE_POINTER, ignoreAnnotation, type SuppressionProblem, termsOf } from '../../engine/suppression.ts'
import { type FoundObject, writtenAt } from '../../project/objects.ts'
import { fileOf, type Source, textOf } from '../../project/source.ts'
import { type LocatedSubject, NO_OBJECT } from '../../project/subjects.ts'
import type { CollectedWorlds } from '../../project/worlds.ts'
import { groupBy } from '../../text/group.ts'
import { placeholderIn } from '../../text/placeholder.ts'
import { emptyWorld } from '../../world/world.ts'
import { createLineIndex, createLocator, type TextRange } from '../../yaml/locate.ts'
import type { Suppression, WrittenSuppression } from '../report.ts'
import { createCheckedSubjects } from './checked-subjects.ts'
import { readDirectives } from './directives.ts'
import { type Mark, type MarkContext, markAnnotation, markComment } from './marks.ts'
import { problemsOf, type RunRules } from './problems.ts'

/** What suppresses findings. First every subject is recorded, then every finding looked up, then the marks judged. */
export type Suppressions = {
  /** Records what the rules find in a subject; `isClosed` where every object is known to them. */
  record(subject: LocatedSubject, findings: readonly Finding<LocatedSubject>[], isClosed: boolean): void
  /** Why a finding is suppressed; undefined where it is not. */
  suppressionOf(
    finding: Finding<LocatedSubject>,
    place: { readonly source: Source; readonly line: number },
  ): Suppression | undefined
  /** The suppressions themselves, with what is wrong with them. */
  subjects(run: RunRules): readonly LocatedSubject[]
  /** All of them, in the order of the sources. */
  list(run: RunRules): readonly WrittenSuppression[]
}

/** Reads the suppressions in the sources of a run; undefined where there are none. */
export function readSuppressions({ worlds, sources }: CollectedWorlds, context: MarkContext): Suppressions | undefined {
  const texts = commentedTexts(sources, context)
  const objects = annotatedObjects(worlds, context)
  if (texts.size === 0 && objects.size === 0) return undefined
  const checked = createCheckedSubjects()
  const ofComment = (mark: Mark, source: Source, run: RunRules) =>
    problemsOf(mark, checked.within(source, mark.document), source, run)
  const ofAnnotation = ({ found, mark }: Annotated, run: RunRules) =>
    problemsOf(mark, checked.of(found.view), found.origin.source, run)
  return {
    record(subject, findings, isClosed) {
      const { source } = subject.origin
      const isNear = texts.has(source) || objects.has(subject.view) || ('object' in source && source.built)
      if (isNear) checked.record(subject, findings, isClosed)
    },
    suppressionOf({ subject, rule, severity }, { source, line }) {
      const { byLine } = texts.get(source) ?? {}
      const own = objects.get(subject.view)
      const marks = [...(byLine?.get(line) ?? []), ...(byLine?.get(undefined) ?? []), ...(own ? [own.mark] : [])]
      const covering = marks.filter(({ fault, covered }) => !fault && covered.has(rule))
      for (const { suppressed } of covering) suppressed.set(rule, severity === 'error' || suppressed.get(rule) === true)
      const [first] = covering
      return first && { kind: first.kind, reason: first.reason, ...termsOf(first) }
    },
    subjects: (run) => [
      ...[...texts].flatMap(([source, { marks, text }]) => {
        if (source.unjudged) return []
        const problems = marks.flatMap((mark) => ofComment(mark, source, run))
        return problems.length === 0 ? [] : [textSubject(source, text, problems)]
      }),
      ...[...objects.values()].flatMap((annotated) => {
        const problems = ofAnnotation(annotated, run)
        return problems.length === 0 ? [] : [objectSubject(annotated.found, problems)]
      }),
    ],
    list(run) {
      const comments = [...texts].flatMap(([source, { marks, text }]) => {
        if (source.unjudged) return []
        const placeOf = createLineIndex(text)
        return marks.map((mark) => {
          const { start } = typeof mark.place === 'string' ? { start: 0 } : mark.place
          return listed(mark, ofComment(mark, source, run), { file: fileOf(source), ...placeOf(start) })
        })
      })
      const annotations = [...objects.values()].map((annotated) => {
        const { found, mark } = annotated
        const { source, document, pointer } = writtenAt(found.origin, IGNORE_POINTER)
        const { start } = createLocator(textOf(source), document)(pointer, { at: 'key' })
        return listed(mark, ofAnnotation(annotated, run), {
          file: fileOf(source),
          ...createLineIndex(textOf(source))(start),
        })
      })
      return [...comments, ...annotations]
    },
  }
}

/** The comments of one text; under `undefined` those that cover every line. */
const listed = (
  mark: Mark,
  problems: readonly SuppressionProblem[],
  place: Pick<WrittenSuppression, 'file' | 'line' | 'column'>,
): WrittenSuppression => ({
  ...place,
  kind: mark.kind,
  rules: mark.rules.map(({ id }) => id),
  reason: mark.reason,
  ...termsOf(mark),
  state: stateOf(mark, problems),
})

/** Some of the rules of a suppression may be unneeded: it is as a whole where none of them suppresses anything. */
function stateOf(
  { hasEnded, fault, suppressed }: Mark,
  problems: readonly SuppressionProblem[],
): WrittenSuppression['state'] {
  if (hasEnded) return 'expired'
  if (suppressed.size > 0) return 'needed'
  if (fault || problems.some(({ code }) => code !== 'unused' && code !== 'term-in-reason')) return 'wrong'
  return problems.some(({ code }) => code === 'unused') ? 'unneeded' : 'unknown'
}

type Comments = {
  readonly text: string
  readonly marks: readonly Mark[]
  readonly byLine: ReadonlyMap<number | undefined, readonly Mark[]>
}

function commentedTexts(sources: CollectedWorlds['sources'], context: MarkContext): ReadonlyMap<Source, Comments> {
  const texts = new Map<Source, Comments>()
  for (const source of sources) {
    if ('object' in source || (source.unjudged && !source.isPart)) continue
    const { text } = source
    const isUnsure = createPlaceholderSearch(text)
    const marks = readDirectives(text).map((directive) => markComment(directive, isUnsure(directive.document), context))
    if (marks.length > 0) texts.set(source, { text, marks, byLine: groupBy(marks, ({ line }) => line) })
  }
  return texts
}

/** Searches each document of a text once, however many comments it has; undefined is the whole text. */
function createPlaceholderSearch(text: string): (document: TextRange | undefined) => boolean {
  const searched = new Map<TextRange | undefined, boolean>()
  return (document) => {
    const known = searched.get(document) ?? placeholderIn(text.slice(document?.start, document?.end)) !== undefined
    searched.set(document, known)
    return known
  }
}

type Annotated = { readonly found: FoundObject; readonly mark: Mark }

function annotatedObjects(
  worlds: CollectedWorlds['worlds'],
  context: MarkContext,
): ReadonlyMap<LocatedSubject['view'], Annotated> {
  const objects = new Map<LocatedSubject['view'], Annotated>()
  for (const { annotated } of worlds.values())
    for (const found of annotated) {
      const { object } = found.view
      const written = found.origin.source.unjudged ? undefined : ignoreAnnotation(object)
      if (written !== undefined) objects.set(found.view, { found, mark: markAnnotation(object, written, context) })
    }
  return objects
}

/** Rules about suppressions look up nothing. */
const NOWHERE = emptyWorld([])

/** The suppressions of a text as a subject of rules. */
export function textSubject(source: Source, text: string, problems: readonly SuppressionProblem[]): LocatedSubject {
  const document = { start: 0, end: text.length, value: undefined, problems: [] }
  const origin = { source, document, base: '' }
  return { ...NO_OBJECT, kind: 'Suppressions', view: { object: undefined, problems }, origin, world: NOWHERE }
}

const objectSubject = (
  { view: { object, identity }, origin }: FoundObject,
  problems: readonly SuppressionProblem[],
): LocatedSubject => ({
  kind: 'Suppressions',
  view: { object, problems },
  object,
  identity,
  origin,
  known: true,
  fieldsAt: undefined,
  world: NOWHERE,
})
