/** What was judged near the suppressions of a run: it decides whether one of them can be called unused. */
import type { Finding } from '../../engine/finding.ts'
import type { Source } from '../../project/source.ts'
import type { LocatedSubject } from '../../project/subjects.ts'
import type { TextRange } from '../../yaml/locate.ts'

/** A subject that was judged. */
export type CheckedSubject = {
  readonly subject: LocatedSubject
  /** Rules that found an error in it. */
  readonly errors: ReadonlySet<string>
  /** True where what is not among the sources is absent. */
  readonly isClosed: boolean
}

/** Records which rules were checked on which subjects, so that suppressions without a use are found. */
export type CheckedSubjects = {
  record(subject: LocatedSubject, findings: readonly Finding<LocatedSubject>[], isClosed: boolean): void
  /** What was judged in one document of a source, or else in all of it. */
  within(source: Source, document: TextRange | undefined): readonly CheckedSubject[]
  /** What was judged of one object. */
  of(view: LocatedSubject['view']): readonly CheckedSubject[]
}

/** Stands for the start of every document. */
const ANY = -1

/** Creates an empty record. */
export function createCheckedSubjects(): CheckedSubjects {
  const bySource = new Map<Source, Map<number, CheckedSubject[]>>()
  const byView = new Map<LocatedSubject['view'], CheckedSubject>()
  return {
    record(subject, findings, isClosed) {
      const { source, document } = subject.origin
      const errors = new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
      const checked = { subject, errors, isClosed }
      // A value of a built object may be written in any document of its files.
      const places = 'object' in source && source.built ? source.built.sources.map((part) => [part, ANY] as const) : []
      for (const [at, start] of places.length > 0 ? places : [[source, document.start] as const]) {
        const documents = bySource.get(at) ?? new Map<number, CheckedSubject[]>()
        bySource.set(at, documents)
        const before = documents.get(start)
        if (before) before.push(checked)
        else documents.set(start, [checked])
      }
      byView.set(subject.view, checked)
    },
    within(source, document) {
      const documents = bySource.get(source)
      if (!documents) return []
      if (!document) return [...documents.values()].flat()
      return [...(documents.get(document.start) ?? []), ...(documents.get(ANY) ?? [])]
    },
    of(view) {
      const checked = byView.get(view)
      return checked ? [checked] : []
    },
  }
}
