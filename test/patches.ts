/** What the patches of a rule make of a text. */
import fastJsonPatch from 'fast-json-patch'
import { RULES } from '../rules/index.ts'
import { createJudge } from '../src/engine/run.ts'
import type { LintOptions } from '../src/lint/lint.ts'
import type { TextSource } from '../src/project/source.ts'
import type { LocatedSubject } from '../src/project/subjects.ts'
import { readDocuments } from '../src/yaml/documents.ts'
import { subjectsIn } from './subjects.ts'

export type Patching = Required<Pick<LintOptions, 'settings' | 'closedWorld'>> & {
  /** The rule whose patches are applied. */
  readonly rule: string
  /** The text before the change. */
  readonly previous?: TextSource | undefined
}

/** The values of all documents of a text. */
export const valuesIn = (text: string): unknown[] =>
  readDocuments(text, { mentions: /(?:)/ }).map(({ value }) => structuredClone(value))

/** The values of all documents after every patch of the rule; a text of one world. */
export function patched(source: TextSource, { rule, previous, settings, closedWorld }: Patching): readonly unknown[] {
  const judge = createJudge<LocatedSubject>({ rules: RULES.filter(({ id }) => id === rule), settings })
  const starts = readDocuments(source.text, { mentions: /(?:)/ }).map(({ start }) => start)
  const values = valuesIn(source.text)
  for (const subject of subjectsIn([source], { settings, closedWorld, previous: previous ? [previous] : [] }))
    for (const { patch = [] } of judge(subject)) {
      const { base, document } = subject.origin
      const operations = patch.map((operation) => ({ ...operation, path: base + operation.path }))
      fastJsonPatch.applyPatch(values[starts.indexOf(document.start)], operations, true)
    }
  return values
}
