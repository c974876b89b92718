/** One run of the lint: sources in, findings with places and messages out. */

import type { Finding } from '../engine/finding.ts'
import type { AnyRule } from '../engine/rule.ts'
import { createJudge, isActive, type Judge, kindsAsked } from '../engine/run.ts'
import type { SuppressionProblem } from '../engine/suppression.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { notJudgedIn } from '../project/not-judged.ts'
import { eachOnce, fileOf, type NotJudged, readingOf, type Source, type Sources } from '../project/source.ts'
import { type JudgedWorld, judgedWorlds, type LocatedSubject, subjectsOf } from '../project/subjects.ts'
import { withoutFilledIn } from '../project/templates.ts'
import { type CollectedWorlds, collectPrevious, collectWorlds } from '../project/worlds.ts'
import { REGISTRY, withPolicies } from '../registry.ts'
import { ruleNames } from '../settings/rule-ids.ts'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.ts'
import { append } from '../text/append.ts'
import { kindTable } from '../world/kinds.ts'
import type { System } from '../world/system.ts'
import { type Reported, reportFindings, sorted } from './describe.ts'
import { countsOf, type LintReport, type ReportedFinding, type Summary, type WrittenSuppression } from './report.ts'
import { createSuggestions, type RunRules } from './suppressions/problems.ts'
import { readSuppressions, textSubject } from './suppressions/suppressions.ts'

/** How sources are judged. */
export type LintOptions = {
  /** Default: {@link DEFAULT_SETTINGS}. */
  readonly settings?: Settings
  /** True where the sources are all there is: what is not in them is absent, not unknown. */
  readonly closedWorld?: boolean
  /** Where the sources are all there is but for the objects of these kinds, of which nothing is known. */
  readonly unknownKinds?: ReadonlySet<string> | undefined
  /** Default: all rules. */
  readonly rules?: readonly AnyRule[]
  /** The systems whose objects are read. Default: all systems. */
  readonly systems?: readonly System[]
  /**
   * The sources before the change. Only with them do rules report that compare versions, and objects of unknown age
   * are older where they are among them. A source that did not change may be the very same object in both.
   */
  readonly previous?: Sources
  /** The date in UTC, `2027-01-31`: suppressions that ended before it suppress nothing. Default: none ends. */
  readonly today?: string | undefined
}

/** A rule that threw: a fault in the rule. The other rules have been run. */
type Fault = { readonly rule: string; readonly file: string; readonly error: unknown }

/** The result of a run. */
export type LintOutcome = Pick<Reported, 'fixes'> & {
  readonly report: LintReport
  readonly faults: readonly Fault[]
  /** How many objects were judged, of those kinds of which rules report. */
  readonly judged: number
  /** What kustomizations could not build, and why: nothing is reported about it. */
  readonly notBuilt: readonly NotJudged[]
  /** The comments and annotations that suppress findings, or are meant to. */
  suppressions(): readonly WrittenSuppression[]
}

/** Judges texts and objects. Bad input results in findings, never in an exception. */
export function lint(sources: Sources, options: LintOptions = {}): LintOutcome {
  const { settings = DEFAULT_SETTINGS, closedWorld = false, unknownKinds, previous = [] } = options
  const { rules, systems } = withPolicies({ ...REGISTRY, ...options }, settings)
  const reading = readingOf(sources)
  const severities = new Set(reading.sources.map((source) => source.rules))
  const asked = new Set([...severities].flatMap((own) => kindsAsked(rules, withOwn(settings, own))))
  const kinds = kindTable(systems, apiNames(settings.apiGroups), { ...settings, asked })
  const now = collectWorlds(reading, kinds)
  const earlier = collectPrevious(readingOf(previous, reading.texts), kinds, now)
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  const names = ruleNames(known.keys())
  const suppressions = readSuppressions(now, { names, today: options.today })
  const faults: Fault[] = []
  const judgeFor = createJudges(settings, rules, faults)
  const findings: Finding<LocatedSubject>[] = []
  const notJudged: NotJudged[] = []
  /** Views that have findings, and the notes on builds that are reported as findings. */
  const withFinding = new Set<LocatedSubject['view']>()
  const said: string[] = []
  for (const judged of judgedWorlds(now, earlier, { systems, closedWorld, unknownKinds })) {
    append(notJudged, notJudgedIn(judged, systems))
    for (const subject of subjectsOf(judged)) {
      const found = judgeFor(subject.origin.source.rules)(subject)
      suppressions?.record(subject, found, closedWorld && !judged.objects.partial)
      append(findings, withoutFilledIn(found, subject))
      if (found.length > 0) withFinding.add(subject.view)
    }
    append(said, refusedIn(judged, withFinding))
  }
  const described = reportFindings(findings, known, suppressions?.suppressionOf)
  const run: RunRules = {
    systems,
    rules: known,
    names,
    suggest: createSuggestions([...known.keys()]),
    isActive: (rule, source) => isActive(rule, withOwn(settings, source.rules)),
  }
  const written = suppressions?.subjects(run)
  const reported = written ? withMore(described, reportFindings(judgeWritten(written, judgeFor), known)) : described
  const { fixes, suppressed } = reported
  return {
    report: {
      version: 1,
      findings: reported.findings,
      suppressed,
      notJudged: eachOnce(notJudged),
      summary: summarise(reported, now),
    },
    fixes,
    faults,
    judged: countJudged(now),
    notBuilt: withoutSaid(now.notBuilt, said),
    suppressions: () => suppressions?.list(run) ?? [],
  }
}

/** What the rules find in suppressions that a text holds, such as a baseline. */
export function judgeSuppressions(
  {
    file,
    text,
    problems,
  }: { readonly file: string; readonly text: string; readonly problems: readonly SuppressionProblem[] },
  { settings = DEFAULT_SETTINGS, rules: known = REGISTRY.rules }: Pick<LintOptions, 'settings' | 'rules'>,
): readonly ReportedFinding[] {
  const { rules } = withPolicies({ ...REGISTRY, rules: known }, settings)
  const judge = createJudges(settings, rules, [])(undefined)
  const found = judge(textSubject({ file, text }, text, problems))
  return reportFindings(found, new Map(rules.map((rule) => [rule.id, rule]))).findings
}

/** The notes on builds of a world that findings stand for. */
const refusedIn = ({ objects }: JudgedWorld, withFinding: ReadonlySet<unknown>): readonly string[] =>
  objects.refused.flatMap(({ note, view }) => (withFinding.has(view) ? [keyOf(note)] : []))

function withoutSaid(notes: LintOutcome['notBuilt'], said: readonly string[]): LintOutcome['notBuilt'] {
  const keys = new Set(said)
  return notes.filter((note) => !keys.has(keyOf(note)))
}

const keyOf = ({ file, reason }: LintOutcome['notBuilt'][number]): string => `${file}\n${reason}`

type JudgeFor = (own: Source['rules']) => Judge<LocatedSubject>

/** What the rules find in suppressions. */
const judgeWritten = (written: readonly LocatedSubject[], judgeFor: JudgeFor): readonly Finding<LocatedSubject>[] =>
  written.flatMap((subject) => withoutFilledIn(judgeFor(subject.origin.source.rules)(subject), subject))

const withMore = (reported: Reported, { findings }: Reported): Reported =>
  findings.length === 0 ? reported : { ...reported, findings: sorted([...reported.findings, ...findings]) }

const withOwn = (settings: Settings, own: Source['rules']): Settings =>
  own ? { ...settings, rules: { ...settings.rules, ...own } } : settings

/** One judge for each set of severities that hold for some sources alone. */
function createJudges(settings: Settings, rules: readonly AnyRule[], faults: Fault[]): JudgeFor {
  const judgeWith = (severities: Source['rules']) =>
    createJudge<LocatedSubject>({
      rules,
      settings: withOwn(settings, severities),
      onFault: (rule, error, subject) => faults.push({ rule, file: fileOf(subject.origin.source), error }),
    })
  const common = judgeWith(undefined)
  const own = new Map<Source['rules'], Judge<LocatedSubject>>()
  return (severities) => {
    if (!severities) return common
    const judge = own.get(severities) ?? judgeWith(severities)
    own.set(severities, judge)
    return judge
  }
}

/** An object of several worlds counts once. */
function countJudged({ worlds }: CollectedWorlds): number {
  const judged = [...worlds.values()].flatMap((world) => world.judged)
  return new Set(judged.filter(({ known, origin, kind }) => known && !origin.source.unjudged && !kind.judgedOnRequest))
    .size
}

function summarise({ findings, suppressed }: Reported, { worlds, sources }: CollectedWorlds): Summary {
  const documents = [...worlds.values()].reduce((sum, world) => sum + world.documents, 0)
  const files = [...sources].filter(({ unjudged }) => !unjudged).length
  return { files, documents, ...countsOf(findings), suppressed: suppressed.length }
}
