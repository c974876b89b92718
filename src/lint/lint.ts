/** One run of the lint: texts in, findings with places and words out. */
import { RULES } from '../../rules/index.ts'
import { createLineIndex, createLocator } from '../documents/locate.ts'
import { type Finding, prose, type Subject } from '../engine/finding.ts'
import { createJudge, type Judge } from '../engine/judge.ts'
import type { AnyRule } from '../engine/rule.ts'
import { DEFAULT_SETTINGS, type RuleSetting, type Settings } from '../engine/settings.ts'
import { apiNames } from '../names.ts'
import { buildWorld } from '../world/build.ts'
import { emptyHarvest, type Harvest, harvest, type Origin } from './objects.ts'
import type { LintReport, ReportedFinding, Summary } from './report.ts'
import type { Source } from './source.ts'

export type LintOptions = {
  /** Default: {@link DEFAULT_SETTINGS}. */
  readonly settings?: Settings
  /** True where the texts are all there is: what is not in them is absent, not unknown. */
  readonly closedWorld?: boolean
  /** Default: all rules. */
  readonly rules?: readonly AnyRule[]
}

/** A rule that threw: a fault of the rule. The other rules have spoken. */
export type Fault = { readonly rule: string; readonly file: string; readonly error: unknown }

export type LintOutcome = { readonly report: LintReport; readonly faults: readonly Fault[] }

type Located = Subject & { readonly origin: Origin }

/** Judges texts. Bad input gives findings, never an exception. */
export function lint(sources: Iterable<Source>, options: LintOptions = {}): LintOutcome {
  const { settings = DEFAULT_SETTINGS, closedWorld = false, rules = RULES } = options
  const names = apiNames(settings.apiGroups)
  const worlds = new Map<string, Harvest>()
  let files = 0
  for (const source of sources) {
    files += 1
    const world = source.world ?? ''
    const into = worlds.get(world) ?? emptyHarvest()
    worlds.set(world, into)
    harvest(source, names, into)
  }
  const faults: Fault[] = []
  const judges = createJudges(settings, rules, faults)
  const findings = [...worlds.values()].flatMap((inhabitants) =>
    [...subjectsOf(inhabitants, closedWorld)].flatMap((subject) => judges(subject.origin.source.rules)(subject)),
  )
  const reported = report(findings, new Map(rules.map((rule) => [rule.id, rule])))
  const documents = [...worlds.values()].reduce((sum, world) => sum + world.documents, 0)
  return { report: { version: 1, findings: reported, summary: summarise(reported, files, documents) }, faults }
}

/** One judge for each set of severities that hold for some files alone. */
function createJudges(settings: Settings, rules: readonly AnyRule[], faults: Fault[]): (own: Source['rules']) => Judge {
  const judgeWith = (severities: Readonly<Record<string, RuleSetting>>) =>
    createJudge({
      rules,
      settings: { ...settings, rules: { ...settings.rules, ...severities } },
      onFault: (rule, error, subject) => faults.push({ rule, file: fileOf(subject), error }),
    })
  const common = judgeWith({})
  const own = new Map<Source['rules'], Judge>()
  return (severities) => {
    if (!severities) return common
    const judge = own.get(severities) ?? judgeWith(severities)
    own.set(severities, judge)
    return judge
  }
}

const fileOf = (subject: Subject): string => ('origin' in subject ? (subject as Located).origin.source.file : '')

const NOBODY = { kind: '', namespace: undefined, name: undefined }

function* subjectsOf(harvest: Harvest, closedWorld: boolean): Iterable<Located> {
  const closed = closedWorld && !harvest.partial
  const world = buildWorld(
    { ...harvest, policies: harvest.policies.filter(isKnown).map(({ view }) => view) },
    { closed },
  )
  for (const origin of harvest.broken)
    yield { kind: 'Document', view: origin.document, identity: NOBODY, origin, world }
  for (const { view, origin, known } of harvest.policies)
    yield { kind: known ? 'RateLimitPolicy' : 'UnknownVersion', view, identity: view.identity, origin, world }
}

/** Policies that others may look up: of a version that we know, under the name that they will have. */
const isKnown = ({ origin, known }: Harvest['policies'][number]): boolean => known && !origin.source.renamed

/** Gives findings their places and words; texts and documents are indexed once each, and only those that have findings. */
function report(
  findings: readonly Finding<Located>[],
  rules: ReadonlyMap<string, AnyRule>,
): readonly ReportedFinding[] {
  const locators = new Map<Origin['document'], ReturnType<typeof createLocator>>()
  const lines = new Map<Source, ReturnType<typeof createLineIndex>>()
  const reported = findings.map((finding) => {
    const { source, document, base } = finding.subject.origin
    const locate = remember(locators, document, () => createLocator(source.text, document))
    const place = remember(lines, source, () => createLineIndex(source.text))
    const range = finding.range ?? locate(base + finding.pointer)
    const [start, end] = [place(range.start), place(range.end)]
    const rule = rules.get(finding.rule)
    if (!rule) throw new Error(`a finding of ${finding.rule}, which is no rule`)
    return reportedFinding(finding, prose(rule, finding), {
      line: start.line,
      column: start.column,
      endLine: end.line,
      endColumn: end.column,
    })
  })
  return sortAndDeduplicate(reported)
}

function reportedFinding(
  { subject, rule, severity, pointer }: Finding<Located>,
  { message, help }: ReturnType<typeof prose>,
  place: Pick<ReportedFinding, 'line' | 'column' | 'endLine' | 'endColumn'>,
): ReportedFinding {
  const { kind, namespace = '', name = '' } = subject.identity
  return {
    rule,
    severity,
    file: subject.origin.source.file,
    ...place,
    pointer,
    message,
    help,
    object: { kind, namespace, name },
  }
}

function remember<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function sortAndDeduplicate(findings: readonly ReportedFinding[]): readonly ReportedFinding[] {
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
  const sorted = [...findings].sort(
    (a, b) =>
      byText(a.file, b.file) ||
      a.line - b.line ||
      a.column - b.column ||
      byText(a.rule, b.rule) ||
      byText(a.message, b.message),
  )
  const same = (a: ReportedFinding, b: ReportedFinding | undefined) =>
    b !== undefined && JSON.stringify(a) === JSON.stringify(b)
  return sorted.filter((finding, index) => !same(finding, sorted[index - 1]))
}

function summarise(findings: readonly ReportedFinding[], files: number, documents: number): Summary {
  const count = (severity: string) => findings.filter((finding) => finding.severity === severity).length
  return { files, documents, errors: count('error'), warnings: count('warning'), infos: count('info') }
}
