/** Judges and fixes texts and objects. */
import { createEditor, type FixKind, fixSources, type LeftFinding } from '../lint/fix.ts'
import { type LintOutcome, lint as runLint } from '../lint/lint.ts'
import type { LintReport } from '../lint/report.ts'
import { type RuleText, ruleText } from '../lint/rule-text.ts'
import { eachOnce, fileOf, type Source } from '../project/source.ts'
import { REGISTRY, RULE_IDS, withPolicies } from '../registry.ts'
import { findRuleId, severitiesOfOnly } from '../settings/rule-ids.ts'
import { LOCAL_PREFIX } from '../settings/settings.ts'
import { dateOf } from '../text/date.ts'
import type { TextEdit } from '../yaml/edit/edit.ts'
import { boolean, type Check, list, type Members, problemsOf, string, time } from './check.ts'
import { INPUT_OPTIONS, type Input, type InputOptions, inContext, readInput, sourcesCheck } from './input.ts'
import { failure, guarded, type Result, success } from './result.ts'

/** How sources are judged. */
export type LintOptions = InputOptions & {
  /** Ids of rules: all others are off. */
  readonly only?: readonly string[] | undefined
  /** The sources before the change: with them, rules also report what the change does to a running gateway. */
  readonly previous?: readonly Source[] | undefined
  /** The time of the run, RFC 3339: suppressions that have ended by then suppress nothing. Default: that of the clock. */
  readonly now?: string | undefined
}

/** How one finding is fixed in its text. */
export type FindingFix = {
  /** The index of the finding in `findings`. */
  readonly finding: number
  /** `safe` changes no behaviour that the author can have meant; `opt-in` may. */
  readonly kind: FixKind
  /** By UTF-16 offsets into the text; in order, and none overlaps another. */
  readonly edits: readonly TextEdit[]
}

/** A rule that threw: a fault in sluice. The other rules have been run. */
export type RuleFault = { readonly rule: string; readonly file: string; readonly message: string }

/** What was found. The members of {@link LintReport} are those of `sluice lint --format json`. */
export type LintResult = LintReport & {
  readonly faults: readonly RuleFault[]
  /** With the option `fixes`, the edits that fix findings of texts; one finding has at most one entry. */
  readonly fixes: readonly FindingFix[]
}

const ruleId: Check = (given, path, problems) => {
  string(given, path, problems)
  const found = typeof given === 'string' ? findRuleId(given, RULE_IDS) : undefined
  // Those of policies are known with the settings.
  if (found && 'problem' in found && !String(given).startsWith(LOCAL_PREFIX))
    problems.push({ path, message: found.problem })
}

const JUDGE_OPTIONS = {
  ...INPUT_OPTIONS,
  only: list(ruleId),
  previous: sourcesCheck,
  now: time,
} as const satisfies Members<keyof LintOptions>

/** Judges texts and objects: a source is `{ file, text }` or `{ object }`. With `fixes`, finds how to fix each finding. */
export function lint(
  sources: readonly Source[],
  options?: LintOptions & { readonly fixes?: boolean | undefined },
): Result<LintResult> {
  return guarded(() => {
    const input = readInput(sources, options, { ...JUDGE_OPTIONS, fixes: boolean })
    if (!input.ok) return input
    const run = createRun(input.value, options)
    return success(resultOf(run.judge(run.sources), options?.fixes === true))
  })
}

/** One text after fixing. */
export type FixedText = {
  readonly file: string
  /** As it is now. */
  readonly text: string
  /** What changed, by UTF-16 offsets into the text before; in order, and none overlaps another. */
  readonly edits: readonly TextEdit[]
  /** How many findings were fixed. */
  readonly fixed: number
}

/** Sources after fixing. */
export type FixResult = {
  /** The texts that changed. */
  readonly changed: readonly FixedText[]
  /** Findings that stay although they have a fix, and why. */
  readonly left: readonly LeftFinding[]
  /** What is found in the fixed texts. */
  readonly remaining: LintResult
}

/** Fixes texts: what is safe to fix, with `all` also what may change behaviour. Objects stay as they are. */
export function fix(
  sources: readonly Source[],
  options?: LintOptions & { readonly all?: boolean | undefined },
): Result<FixResult> {
  return guarded(() => {
    const input = readInput(sources, options, { ...JUDGE_OPTIONS, all: boolean })
    if (!input.ok) return input
    const { judge, sources: before } = createRun(input.value, options)
    const kinds = new Set<FixKind>(options?.all ? ['safe', 'opt-in'] : ['safe'])
    const after = fixSources(before, judge(before), { kinds, judge })
    const changed = after.sources.flatMap((source, index): FixedText[] => {
      const edits = after.edits[index] ?? []
      if ('object' in source || edits.length === 0) return []
      const file = fileOf(source)
      return [{ file, text: source.text, edits, fixed: after.fixed.get(file) ?? 0 }]
    })
    return success({ changed, left: after.left, remaining: resultOf(after.outcome, false) })
  })
}

/** Sources with their severities, and what judges them. */
function createRun(
  { sources, settings, closedWorld, ...context }: Input,
  { only, previous = [], now = '' }: LintOptions = {},
) {
  const known = withPolicies(REGISTRY, settings).rules
  const ids = (only ?? []).flatMap((written) => {
    const found = findRuleId(
      written,
      known.map(({ id }) => id),
    )
    return 'id' in found ? [found.id] : []
  })
  const rules = only ? severitiesOfOnly(ids, known, settings.rules) : {}
  const options = {
    settings: { ...settings, rules: { ...settings.rules, ...rules }, ...(only ? { ruleset: undefined } : {}) },
    closedWorld,
    previous: inContext(previous, context),
    today: dateOf(Date.parse(now) || Date.now()),
  }
  return {
    sources: only ? sources.map((source) => withSeverities(source, rules)) : sources,
    judge: (judged: readonly Source[]): LintOutcome => runLint({ sources: judged, texts: context.texts }, options),
  }
}

const withSeverities = (source: Source, rules: NonNullable<Source['rules']>): Source =>
  source.rules ? { ...source, rules: { ...source.rules, ...rules } } : source

function resultOf(outcome: LintOutcome, wantsFixes: boolean): LintResult {
  const { report, faults, notBuilt } = outcome
  return {
    ...report,
    notJudged: eachOnce([...report.notJudged, ...notBuilt]),
    faults: faults.map(({ rule, file, error }) => ({ rule, file, message: messageOf(error) })),
    fixes: wantsFixes ? fixesIn(outcome) : [],
  }
}

function fixesIn(outcome: LintOutcome): readonly FindingFix[] {
  const editsOf = createEditor(outcome)
  return outcome.report.findings.flatMap((finding, index) => {
    const fix = outcome.fixes.get(finding)
    const edits = fix && !('object' in fix.origin.source) ? editsOf(finding) : undefined
    return fix && edits ? [{ finding: index, kind: fix.kind, edits }] : []
  })
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The texts of all rules, in the order of the documentation. */
export const rules = (): readonly RuleText[] => REGISTRY.rules.map(ruleText)

/** The text of one rule, by its id, or by the part after the slash if only one rule has it. */
export function explain(id: string): Result<RuleText> {
  return guarded(() => {
    const problems = problemsOf(string, id, 'id')
    if (problems.length > 0) return failure(...problems)
    const found = findRuleId(id, RULE_IDS)
    if ('problem' in found) return failure({ path: 'id', message: found.problem })
    const [rule] = rules().filter((one) => one.id === found.id)
    return rule ? success(rule) : failure({ path: 'id', message: `unknown rule "${id}"` })
  })
}
