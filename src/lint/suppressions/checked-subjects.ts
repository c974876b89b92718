/** What was judged near the suppressions of a run: it tells whether one of them can be called unused. */

import type { Finding } from '../../engine/finding.ts'
import type { Source } from '../../project/source.ts'
import type { Located } from '../../project/subjects.ts'
import type { TextRange } from '../../yaml/locate.ts'

/** A subject that was judged. */
export type Heard = {
  readonly subject: Located
  /** Rules that found an error in it. */
  readonly errors: ReadonlySet<string>
  /** True where what is not among the files is absent. */
  readonly isClosed: boolean
}

export type Hearing = {
  add(subject: Located, findings: readonly Finding<Located>[], isClosed: boolean): void
  /** What was judged in one document of a text, or else in all of it. */
  around(source: Source, document: TextRange | undefined): readonly Heard[]
  /** What was judged of one object. */
  of(view: Located['view']): readonly Heard[]
}

export function createHearing(): Hearing {
  const bySource = new Map<Source, Map<number, Heard[]>>()
  const byView = new Map<Located['view'], Heard>()
  return {
    add(subject, findings, isClosed) {
      const { source, document } = subject.origin
      const errors = new Set(findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule))
      const heard = { subject, errors, isClosed }
      const documents = bySource.get(source) ?? new Map<number, Heard[]>()
      bySource.set(source, documents)
      const before = documents.get(document.start)
      if (before) before.push(heard)
      else documents.set(document.start, [heard])
      byView.set(subject.view, heard)
    },
    around(source, document) {
      const documents = bySource.get(source)
      if (!documents) return []
      return document ? (documents.get(document.start) ?? []) : [...documents.values()].flat()
    },
    of(view) {
      const heard = byView.get(view)
      return heard ? [heard] : []
    },
  }
}
