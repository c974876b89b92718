/** Runs rules over subjects and enforces their contract. Knows no system, no rule and no surface. */
import { parentPointer, valueAt } from '../json/pointer.ts'
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import type { Settings, Severity } from '../settings/settings.ts'
import { cachedByLatest } from '../world/cache.ts'
import type { World } from '../world/world.ts'
import type { Finding, Subject, SubjectWorld } from './finding.ts'
import { type AnyRule, type FindingPlace, judgedBy, type Message, type PatchOperation } from './rule.ts'

/** Judges one subject: the findings of all rules, in the order of the rules. */
export type Judge<S extends Subject> = (subject: S) => Finding<S>[]

/** What a judge runs, and where it reports rules that threw. */
export type JudgeOptions<S extends Subject> = {
  readonly rules: readonly AnyRule[]
  readonly settings: Settings
  /** Called with a rule that threw; the other rules go on. Without it the error is thrown. */
  readonly onFault?: (rule: string, error: unknown, subject: S) => void
}

/** A rule with the context that its `check` gets. */
type Prepared = { readonly rule: AnyRule; check(subject: unknown, context: unknown): void; readonly context: object }

/** Makes the judge for one set of rules and settings. Make it once and keep it. */
export function createJudge<S extends Subject>({ rules, settings, onFault }: JudgeOptions<S>): Judge<S> {
  const state: State<S> = { rule: undefined, subject: undefined, findings: [] }
  const names = apiNames(settings.apiGroups)
  const active = rules.filter((rule) => isActive(rule, settings))
  const prepare = (rule: AnyRule): Prepared => ({
    rule,
    // The subjects of a kind have the views for which its rules are written: a system registers both.
    check: rule.check as Prepared['check'],
    context: createContext(rule, { settings, names, state }),
  })
  const byKind = new Map<string, readonly Prepared[]>()
  const preparedFor = (kind: string): readonly Prepared[] => {
    const known = byKind.get(kind)
    if (known) return known
    const prepared = active.filter((rule) => judgedBy(rule).includes(kind)).map(prepare)
    byKind.set(kind, prepared)
    return prepared
  }
  return (subject) => {
    state.subject = subject
    state.findings = []
    try {
      for (const { rule, check, context } of preparedFor(subject.kind)) {
        state.rule = rule
        try {
          check(subject.view, context)
        } catch (error) {
          if (!onFault) throw error
          onFault(rule.id, error, subject)
        }
      }
      return state.findings
    } finally {
      state.rule = undefined
      state.subject = undefined
    }
  }
}

/** True for a rule that settings neither switch off nor leave to later releases; of one that is off, that they switch on. */
export function isActive(rule: AnyRule, { rules, ruleset }: Pick<Settings, 'rules' | 'ruleset'>): boolean {
  if ((rules[rule.id] ?? (rule.isOff ? 'off' : undefined)) === 'off') return false
  return ruleset === undefined || rule.since === undefined || !isLater(rule.since, ruleset)
}

/** The names under which active rules judge objects: some kinds are judged only where one asks for it. */
export const kindsAsked = (
  rules: readonly AnyRule[],
  settings: Pick<Settings, 'rules' | 'ruleset'>,
): readonly string[] => rules.filter((rule) => isActive(rule, settings)).flatMap(judgedBy)

/** Compares `major.minor` versions. */
function isLater(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number)
  return major > thanMajor || (major === thanMajor && minor > thanMinor)
}

/** What is judged at this moment, and by which rule. */
type State<S extends Subject> = { rule: AnyRule | undefined; subject: S | undefined; findings: Finding<S>[] }

type ContextInputs<S extends Subject> = {
  readonly settings: Settings
  readonly names: ApiNames
  readonly state: State<S>
}

const SETTINGS_READ = [
  'platform',
  'budgets',
  'fabricVersion',
  'composition',
  'conflict',
  'zoneNaming',
  'meshMtls',
  'meshRedirect',
  'meshSocket',
] as const

/** A context in which only what the rule declares can be read. */
function createContext<S extends Subject>(rule: AnyRule, { settings, names, state }: ContextInputs<S>): object {
  const current = () => {
    if (state.rule !== rule || !state.subject)
      throw new RuleContractError(rule.id, 'uses its context after its check has ended')
    return state.subject
  }
  const report = (id: string, at: FindingPlace, data: Finding['data'] = {}, patch?: readonly PatchOperation[]) => {
    const subject = current()
    const severity = severityOf(rule, checkMessage(rule, id), settings)
    checkPatch(rule, patch)
    const fix = patch ? { patch } : {}
    state.findings.push({
      subject,
      rule: rule.id,
      message: id,
      severity,
      data,
      ...checkPlace(rule, subject, at),
      ...fix,
    })
  }
  const known = new Map<string, () => unknown>([
    ['names', () => names],
    ['previous', () => current().previous],
    ['before', () => lookupsIn(current().worldBefore?.(), settings)],
    ...SETTINGS_READ.map((name): [string, () => unknown] => [name, () => settings[name]]),
  ])
  const context: object = Object.create(undeclared(rule), { report: { value: report, enumerable: true } })
  for (const read of rule.reads ?? []) {
    const get = known.get(read) ?? (() => lookupOf(rule, lookupsIn(current().world, settings), read))
    Object.defineProperty(context, read, { get, enumerable: true })
  }
  return context
}

/** What a context has beside its own members: an error that names what the rule does not declare. */
const undeclared = (rule: AnyRule): object =>
  new Proxy(
    {},
    {
      get(_, name) {
        throw new RuleContractError(rule.id, `reads "${String(name)}", which it does not declare`)
      },
    },
  )

/** The lookups of a world as a release knows it. */
const lookupsOf = cachedByLatest((settings: Settings) =>
  cachedByLatest((world: SubjectWorld) => (world.forRelease?.(settings.fabricVersion) ?? world).lookups),
)

const lookupsIn = (world: SubjectWorld | undefined, settings: Settings): World['lookups'] | undefined =>
  world && lookupsOf(settings)(world)

function lookupOf(rule: AnyRule, lookups: Readonly<Record<string, unknown>> | undefined, read: string): unknown {
  const lookup = lookups?.[read]
  if (lookup === undefined) throw new RuleContractError(rule.id, `reads "${read}", which no system registers`)
  return lookup
}

function severityOf(rule: AnyRule, message: Message, settings: Settings): Severity {
  const set = settings.rules[rule.id]
  if (set !== undefined && set !== 'off') return set
  return (typeof message === 'string' ? undefined : message.severity) ?? rule.severity
}

/** A rule that reads, reports or points beside what it declares: a fault in the rule, not in the subject. */
export class RuleContractError extends Error {
  constructor(rule: string, breach: string) {
    super(`rule ${rule} ${breach}`)
    this.name = 'RuleContractError'
  }
}

/** The message of that id; throws where the rule declares none. */
function checkMessage(rule: AnyRule, message: string): Message {
  const known: Message | undefined = Object.hasOwn(rule.messages, message) ? rule.messages[message] : undefined
  if (known === undefined) throw new RuleContractError(rule.id, `reports "${message}", which is none of its messages`)
  return known
}

/** Throws where a rule fixes without declaring it. */
function checkPatch(rule: AnyRule, patch: readonly PatchOperation[] | undefined): void {
  if (patch && !rule.fix) throw new RuleContractError(rule.id, 'reports a patch without declaring "fix"')
}

/** The place in the subject; throws where nothing is there, or where it belongs to another object. */
function checkPlace(rule: AnyRule, subject: Subject, at: FindingPlace): Pick<Finding, 'pointer' | 'range'> {
  if (typeof at === 'object' && 'start' in at) {
    if (subject.object) throw new RuleContractError(rule.id, 'points into a text, but judges an object')
    return { pointer: '', range: { start: at.start, end: at.end } }
  }
  const pointer = typeof at === 'string' ? at : at.pointer
  const raw = typeof at === 'string' ? undefined : at.raw
  const value = valueAt(subject.object, pointer)
  if (value === undefined && valueAt(subject.object, parentPointer(pointer)) === undefined)
    throw new RuleContractError(rule.id, `points to "${pointer}", where nothing is`)
  if (raw !== undefined && raw !== value) throw new RuleContractError(rule.id, `reports "${pointer}" of another object`)
  return { pointer }
}
