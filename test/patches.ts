/** What the patches of a rule make of a text. */
import { applyPatch } from 'fast-json-patch'
import { RULES } from '../rules/index.ts'
import { createJudge } from '../src/engine/run.ts'
import { apiNames } from '../src/kubernetes/api-groups.ts'
import type { LintOptions } from '../src/lint/lint.ts'
import type { Source } from '../src/project/source.ts'
import { type Located, subjectsOf } from '../src/project/subjects.ts'
import { harvestPolicies, harvestWorlds } from '../src/project/worlds.ts'
import { readDocuments } from '../src/yaml/documents.ts'

export type Patching = Required<Pick<LintOptions, 'settings' | 'closedWorld'>> & {
  /** The rule whose patches are applied. */
  readonly rule: string
  /** The text before the change. */
  readonly previous?: Source | undefined
}

/** The values of all documents of a text. */
export const valuesIn = (text: string): unknown[] =>
  readDocuments(text, { mentions: /(?:)/ }).map(({ value }) => structuredClone(value))

/** The values of all documents after every patch of the rule; a text of one world. */
export function mend(source: Source, { rule, previous, settings, closedWorld }: Patching): readonly unknown[] {
  const names = apiNames(settings.apiGroups)
  const now = harvestWorlds([source], names)
  const before = harvestPolicies(previous ? [previous] : [], names, now)
  const judge = createJudge<Located>({
    rules: RULES.filter(({ id }) => id === rule),
    settings,
  })
  const starts = readDocuments(source.text, { mentions: /(?:)/ }).map(({ start }) => start)
  const values = valuesIn(source.text)
  for (const [name, harvest] of now.worlds)
    for (const subject of subjectsOf(harvest, before.get(name), closedWorld))
      for (const { patch = [] } of judge(subject)) {
        const { base, document } = subject.origin
        const operations = patch.map((operation) => ({ ...operation, path: base + operation.path }))
        applyPatch(values[starts.indexOf(document.start)], operations, true)
      }
  return values
}
