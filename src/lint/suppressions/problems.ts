/** What is wrong with a suppression, once it is known what it suppressed. */
import { type AnyRule, judgedBy } from '../../engine/rule.ts'
import type { SuppressionFault, SuppressionProblem } from '../../engine/suppression.ts'
import type { Source } from '../../project/source.ts'
import { nearestRule, type RuleNames } from '../../settings/rule-ids.ts'
import { MOST_SUGGESTIONS } from '../../text/nearest.ts'
import type { System } from '../../world/system.ts'
import { couldReport } from '../prerequisites.ts'
import type { CheckedSubject } from './checked-subjects.ts'
import type { Mark } from './marks.ts'

/** The rules of a run. */
export type RunRules = {
  readonly systems: readonly System[]
  readonly rules: ReadonlyMap<string, AnyRule>
  readonly names: RuleNames
  /** The rule that a misspelt id in a text means. */
  readonly suggest: Suggest
  /** True for a rule that is not switched off for a text. */
  isActive(rule: AnyRule, source: Source): boolean
}

type Suggest = (id: string, source: Source) => string | undefined

/** Suggests rules for the first misspelt ids of each text. */
export function createSuggestions(ids: readonly string[]): Suggest {
  const counts = new WeakMap<Source, number>()
  return (id, source) => {
    const count = counts.get(source) ?? 0
    counts.set(source, count + 1)
    return count < MOST_SUGGESTIONS ? nearestRule(id, ids) : undefined
  }
}

/** kubectl applies nothing of a text that it cannot read, and no suppression hides what is wrong with another. */
const NEVER_SUPPRESSED: readonly string[] = ['document/syntax', 'document/unreadable', 'document/suppression']

/** True for a rule that a comment can suppress. */
export const canBeCommented = ({ id }: Pick<AnyRule, 'id'>): boolean => !NEVER_SUPPRESSED.includes(id)

/** What is wrong with a mark; `checked` is everything that was judged in its reach. */
export function problemsOf(
  mark: Mark,
  checked: readonly CheckedSubject[],
  source: Source,
  run: RunRules,
): readonly SuppressionProblem[] {
  if (mark.fault) return [mark.fault]
  const { directive, reason } = mark
  const term = TERM_IN_REASON.exec(reason)?.[0]
  const misplaced = term === undefined ? [] : [{ code: 'term-in-reason' as const, directive, place: mark.place, term }]
  const ofRules = mark.rules.flatMap(({ id, rule, place }) => {
    const fault =
      faultOfRule({ id, rule }, { mark, source, run }) ?? faultOfUse(rule ?? id, { mark, checked, source, run })
    return fault ? [{ directive, place, rule: id, ...fault }] : []
  })
  return [...misplaced, ...ofRules]
}

/** A reason that begins with a term: its author means that it holds. Further behind it is a word like others. */
const TERM_IN_REASON = /^(?:until|owner)=\S*/

type MarkFault = { readonly code: SuppressionFault; readonly meant?: string | undefined }

function faultOfRule(
  { id, rule: meantRule }: Omit<Mark['rules'][number], 'place'>,
  { mark: { kind }, source, run: { rules, names, suggest } }: Omit<Use, 'checked'>,
): MarkFault | undefined {
  const rule = rules.get(meantRule ?? id)
  if (rule) return canBeSuppressed(rule, kind) ? undefined : { code: 'never-suppressed' }
  const ids = [...rules.keys()]
  if (id.includes('*') || id === 'all' || ids.some((known) => known.startsWith(`${id}/`))) return { code: 'wildcard' }
  const several = names.get(id)
  if (several) return { code: 'ambiguous-rule', meant: several.join(' or ') }
  const meant = suggest(id, source)
  return meant === undefined ? { code: 'unknown-rule' } : { code: 'misspelt-rule', meant }
}

/** What is judged as a text: the annotation of an object does not cover it. */
const TEXTS: readonly string[] = ['Document', 'Kustomization']

/** An annotation covers its object alone, not the text around it. */
const canBeSuppressed = (rule: AnyRule, kind: Mark['kind']): boolean =>
  canBeCommented(rule) && (kind === 'comment' || judgedBy(rule).some((judged) => !TEXTS.includes(judged)))

type Use = {
  readonly mark: Mark
  readonly checked: readonly CheckedSubject[]
  readonly source: Source
  readonly run: RunRules
}

function faultOfUse(id: string, { mark, checked, source, run }: Use): MarkFault | undefined {
  const isError = mark.suppressed.get(id)
  if (isError !== undefined) return isError && mark.kind === 'annotation' ? { code: 'still-denied' } : undefined
  const rule = run.rules.get(id)
  // A mistake may keep other rules from reporting: what they would find without it is unknown.
  const isSure =
    rule &&
    run.isActive(rule, source) &&
    !mark.isUnsure &&
    !isUnbuilt(source, checked) &&
    checked.every(({ subject, isClosed, errors }) => {
      const others = errors.size - (errors.has(id) ? 1 : 0)
      return others === 0 && couldReport(rule, subject, { isClosed, systems: run.systems })
    })
  return isSure ? { code: 'unused' } : undefined
}

/** True for a file of a kustomization of which nothing was built: what would be found in it is unknown. */
const isUnbuilt = (source: Source, checked: readonly CheckedSubject[]): boolean =>
  'isPart' in source && source.isPart === true && checked.length === 0
