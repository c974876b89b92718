/** What is wrong with a suppression, once it is known what it kept quiet. */
import type { AnyRule } from '../../engine/rule.ts'
import { nearestRule } from '../../settings/rule-ids.ts'
import type { SuppressionFault, SuppressionProblem } from '../../engine/suppression.ts'
import type { Source } from '../../project/source.ts'
import { couldSpeak } from '../prerequisites.ts'
import type { Heard } from './checked-subjects.ts'
import type { Mark } from './marks.ts'

/** The rules of a run. */
export type Judging = {
  readonly rules: ReadonlyMap<string, AnyRule>
  /** True for a rule that is not switched off for a text. */
  isActive(rule: AnyRule, source: Source): boolean
}

/** What kubectl cannot read applies nothing, and what a suppression does wrong cannot be hidden by another one. */
const NEVER_QUIET: readonly string[] = ['document/syntax', 'document/unreadable', 'document/suppression']

/** True for a rule that a comment can keep quiet. */
export const canBeCommented = ({ id }: Pick<AnyRule, 'id'>): boolean => !NEVER_QUIET.includes(id)

/** What is wrong with a mark; `heard` is everything that was judged in its reach. */
export function problemsOf(
  mark: Mark,
  heard: readonly Heard[],
  source: Source,
  judging: Judging,
): readonly SuppressionProblem[] {
  if (mark.fault) return [mark.fault]
  const { directive } = mark
  return mark.rules.flatMap(({ id, place }) => {
    const fault = faultOfRule(id, mark, judging) ?? faultOfUse(id, { mark, heard, source, judging })
    return fault ? [{ directive, place, rule: id, ...fault }] : []
  })
}

type Fault = { readonly code: SuppressionFault; readonly meant?: string | undefined }

function faultOfRule(id: string, { kind }: Mark, { rules }: Judging): Fault | undefined {
  const ids = [...rules.keys()]
  if (id.includes('*') || id === 'all' || ids.some((known) => known.startsWith(`${id}/`))) return { code: 'wildcard' }
  const rule = rules.get(id)
  if (rule) return canBeQuiet(rule, kind) ? undefined : { code: 'never-quiet' }
  const meant = nearestRule(id, ids)
  return meant === undefined ? { code: 'unknown-rule' } : { code: 'misspelt-rule', meant }
}

/** An annotation speaks for its object alone, not for the text around it. */
const canBeQuiet = (rule: AnyRule, kind: Mark['kind']): boolean =>
  canBeCommented(rule) && (kind === 'comment' || [rule.judges].flat().some((judged) => judged !== 'Document'))

type Use = { readonly mark: Mark; readonly heard: readonly Heard[]; readonly source: Source; readonly judging: Judging }

function faultOfUse(id: string, { mark, heard, source, judging }: Use): Fault | undefined {
  const isError = mark.quieted.get(id)
  if (isError !== undefined) return isError && mark.kind === 'annotation' ? { code: 'still-refused' } : undefined
  const rule = judging.rules.get(id)
  // A mistake may silence other rules: nobody knows what they would say without it.
  const isSure =
    rule &&
    judging.isActive(rule, source) &&
    !mark.isUnsure &&
    heard.every(({ subject, isClosed, errors }) => {
      const others = errors.size - (errors.has(id) ? 1 : 0)
      return others === 0 && couldSpeak(rule, subject, isClosed)
    })
  return isSure ? { code: 'unused' } : undefined
}
