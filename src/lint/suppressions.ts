/** What authors keep quiet in a run, by comments and by annotations. */
import type { TextRange } from '../documents/locate.ts'
import type { Finding } from '../engine/finding.ts'
import { ignoreAnnotation, type SuppressionProblem } from '../engine/suppression.ts'
import { type Directive, readDirectives } from './directives.ts'
import { createHearing } from './hearing.ts'
import { type Mark, markAnnotation, markComment } from './marks.ts'
import type { FoundPolicy } from './objects.ts'
import { hasPlaceholder } from './placeholders.ts'
import type { ReportedFinding, Suppression } from './report.ts'
import type { Source } from './source.ts'
import { type Located, NOBODY } from './subjects.ts'
import { type Judging, problemsOf } from './suppression-problems.ts'
import { lonelyWorld, type Worlds } from './worlds.ts'

/** What keeps findings quiet: it hears every subject, then is asked of every finding, then is judged itself. */
export type Suppressions = {
  /** Hears what the rules find in a subject; `isClosed` where nothing is hidden from them. */
  hear(subject: Located, findings: readonly Finding<Located>[], isClosed: boolean): void
  /** Why a finding stays quiet; undefined where it does not. */
  quiet(finding: Finding<Located>, reported: ReportedFinding): Suppression | undefined
  /** What was written, with what is wrong with it. */
  subjects(judging: Judging): readonly Located[]
}

/** Reads what is written in the texts of a run; undefined where there is nothing. */
export function readSuppressions({ worlds, sources }: Worlds): Suppressions | undefined {
  const texts = commentedTexts(sources)
  const objects = annotatedObjects(worlds)
  if (texts.size === 0 && objects.size === 0) return undefined
  const hearing = createHearing()
  return {
    hear(subject, findings, isClosed) {
      if (texts.has(subject.origin.source) || objects.has(subject.view)) hearing.add(subject, findings, isClosed)
    },
    quiet({ subject, rule, severity }, { line }) {
      const { byLine } = texts.get(subject.origin.source) ?? {}
      const own = objects.get(subject.view)
      const marks = [...(byLine?.get(line) ?? []), ...(byLine?.get(undefined) ?? []), ...(own ? [own.mark] : [])]
      const covering = marks.filter(({ fault, rules }) => !fault && rules.some(({ id }) => id === rule))
      for (const { quieted } of covering) quieted.set(rule, severity === 'error' || quieted.get(rule) === true)
      const [first] = covering
      return first && { kind: first.kind, reason: first.reason }
    },
    subjects: (judging) => [
      ...[...texts].flatMap(([source, { marks }]) => {
        const problems = marks.flatMap((mark) => problemsOf(mark, hearing.around(source, mark.around), source, judging))
        return problems.length === 0 ? [] : [textSubject(source, problems)]
      }),
      ...[...objects.values()].flatMap(({ policy, mark }) => {
        const problems = problemsOf(mark, hearing.of(policy.view), policy.origin.source, judging)
        return problems.length === 0 ? [] : [objectSubject(policy, problems)]
      }),
    ],
  }
}

/** The comments of one text; under no line those that cover every line. */
type Comments = { readonly marks: readonly Mark[]; readonly byLine: ReadonlyMap<number | undefined, readonly Mark[]> }

function commentedTexts(sources: Worlds['sources']): ReadonlyMap<Source, Comments> {
  const texts = new Map<Source, Comments>()
  for (const source of sources) {
    if (source.unjudged) continue
    const directives = readDirectives(source.text)
    if (directives.length > 0) texts.set(source, sortComments(source.text, directives))
  }
  return texts
}

function sortComments(text: string, directives: readonly Directive[]): Comments {
  const isUnsure = createPlaceholderSearch(text)
  const marks = directives.map((directive) => markComment(directive, isUnsure(directive.around)))
  const byLine = new Map<number | undefined, Mark[]>()
  for (const mark of marks) {
    const beside = byLine.get(mark.line)
    if (beside) beside.push(mark)
    else byLine.set(mark.line, [mark])
  }
  return { marks, byLine }
}

/** Searches each document of a text once, however many comments stand in it; undefined is the whole text. */
function createPlaceholderSearch(text: string): (document: TextRange | undefined) => boolean {
  const searched = new Map<TextRange | undefined, boolean>()
  return (document) => {
    const known = searched.get(document)
    if (known !== undefined) return known
    const has = hasPlaceholder(text.slice(document?.start, document?.end))
    searched.set(document, has)
    return has
  }
}

type Annotated = { readonly policy: FoundPolicy; readonly mark: Mark }

function annotatedObjects(worlds: Worlds['worlds']): ReadonlyMap<Located['view'], Annotated> {
  const objects = new Map<Located['view'], Annotated>()
  for (const { annotated } of worlds.values())
    for (const policy of annotated) {
      const written = policy.origin.source.unjudged ? undefined : ignoreAnnotation(policy.view)
      if (written !== undefined) objects.set(policy.view, { policy, mark: markAnnotation(policy.view.object, written) })
    }
  return objects
}

/** No rule that judges suppressions looks around. */
const NOWHERE = lonelyWorld({ snippets: [] })

function textSubject(source: Source, problems: readonly SuppressionProblem[]): Located {
  const document = { start: 0, end: source.text.length, value: undefined, problems: [] }
  const origin = { source, document, base: '' }
  return { kind: 'Suppressions', view: { problems }, identity: NOBODY, origin, world: NOWHERE }
}

const objectSubject = ({ view, origin }: FoundPolicy, problems: readonly SuppressionProblem[]): Located => ({
  kind: 'Suppressions',
  view: { object: view.object, problems },
  identity: view.identity,
  origin,
  world: NOWHERE,
})
