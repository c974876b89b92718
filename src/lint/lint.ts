/** One run of the lint: texts in, findings with places and words out. */
import { RULES } from '../../rules/index.ts'
import type { Finding } from '../engine/finding.ts'
import type { AnyRule } from '../engine/rule.ts'
import { createJudge, isActive, type Judge } from '../engine/run.ts'
import { apiNames } from '../kubernetes/api-groups.ts'
import { isFilledInLater } from '../project/placeholders.ts'
import type { Source } from '../project/source.ts'
import { type Located, subjectsOf } from '../project/subjects.ts'
import { harvestPolicies, harvestWorlds, type Worlds } from '../project/worlds.ts'
import { DEFAULT_SETTINGS, type Settings } from '../settings/settings.ts'
import { type Reported, reportFindings, sorted } from './describe.ts'
import { countsOf, type LintReport, type Summary } from './report.ts'
import { readSuppressions } from './suppressions/suppressions.ts'

export type LintOptions = {
  /** Default: {@link DEFAULT_SETTINGS}. */
  readonly settings?: Settings
  /** True where the texts are all there is: what is not in them is absent, not unknown. */
  readonly closedWorld?: boolean
  /** Default: all rules. */
  readonly rules?: readonly AnyRule[]
  /**
   * The texts before the change: rules that compare versions speak only where they are given, and of policies of
   * unknown age those that were there are older. A text that did not change may be the very same object in both.
   */
  readonly previous?: Iterable<Source>
}

/** A rule that threw: a fault of the rule. The other rules have spoken. */
export type Fault = { readonly rule: string; readonly file: string; readonly error: unknown }

export type LintOutcome = Pick<Reported, 'mends'> & {
  readonly report: LintReport
  readonly faults: readonly Fault[]
}

/** Judges texts. Bad input gives findings, never an exception. */
export function lint(sources: Iterable<Source>, options: LintOptions = {}): LintOutcome {
  const { settings = DEFAULT_SETTINGS, closedWorld = false, rules = RULES, previous = [] } = options
  const names = apiNames(settings.apiGroups)
  const now = harvestWorlds(sources, names)
  const before = harvestPolicies(previous, names, now)
  const suppressions = readSuppressions(now)
  const faults: Fault[] = []
  const judgeFor = createJudges(settings, rules, faults)
  const findings: Finding<Located>[] = []
  for (const [name, inhabitants] of now.worlds)
    for (const subject of subjectsOf(inhabitants, before.get(name), closedWorld)) {
      const found = judgeFor(subject.origin.source.rules)(subject)
      suppressions?.hear(subject, found, closedWorld && !inhabitants.partial)
      for (const finding of found) if (!isFilledInLater(subject, finding.pointer)) findings.push(finding)
    }
  const known = new Map(rules.map((rule) => [rule.id, rule]))
  const told = reportFindings(findings, known, suppressions?.quiet)
  const written = suppressions?.subjects({
    rules: known,
    isActive: (rule, source) => isActive(rule, withOwn(settings, source.rules)),
  })
  const reported = written ? withMore(told, reportFindings(judgeWritten(written, judgeFor), known)) : told
  const { mends, suppressed } = reported
  return {
    report: { version: 1, findings: reported.findings, suppressed, summary: summarise(reported, now) },
    mends,
    faults,
  }
}

type JudgeFor = (own: Source['rules']) => Judge<Located>

/** What the rules say of suppressions. */
const judgeWritten = (written: readonly Located[], judgeFor: JudgeFor): readonly Finding<Located>[] =>
  written.flatMap((subject) =>
    judgeFor(subject.origin.source.rules)(subject).filter(({ pointer }) => !isFilledInLater(subject, pointer)),
  )

const withMore = (told: Reported, { findings }: Reported): Reported =>
  findings.length === 0 ? told : { ...told, findings: sorted([...told.findings, ...findings]) }

const withOwn = (settings: Settings, own: Source['rules']): Settings =>
  own ? { ...settings, rules: { ...settings.rules, ...own } } : settings

/** One judge for each set of severities that hold for some files alone. */
function createJudges(settings: Settings, rules: readonly AnyRule[], faults: Fault[]): JudgeFor {
  const judgeWith = (severities: Source['rules']) =>
    createJudge<Located>({
      rules,
      settings: withOwn(settings, severities),
      onFault: (rule, error, subject) => faults.push({ rule, file: subject.origin.source.file, error }),
    })
  const common = judgeWith(undefined)
  const own = new Map<Source['rules'], Judge<Located>>()
  return (severities) => {
    if (!severities) return common
    const judge = own.get(severities) ?? judgeWith(severities)
    own.set(severities, judge)
    return judge
  }
}

function summarise({ findings, suppressed }: Reported, { worlds, sources }: Worlds): Summary {
  const documents = [...worlds.values()].reduce((sum, world) => sum + world.documents, 0)
  const files = [...sources].filter(({ unjudged }) => !unjudged).length
  return { files, documents, ...countsOf(findings), suppressed: suppressed.length }
}
