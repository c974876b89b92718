/** Runs rules over subjects. Knows no rule and no surface, and catches rules that lie. */
import { parentPointer, valueAt } from '../documents/pointer.ts'
import { type ApiNames, apiNames } from '../names.ts'
import type { Finding, Subject } from './finding.ts'
import type { AnyRule, Context, Data, Judged, Message, PatchOperation, Place, Read } from './rule.ts'
import type { Settings, Severity } from './settings.ts'

/** A rule that reads, reports or points beside what it declared: a fault of the rule, not of the subject. */
export class LyingRule extends Error {
  constructor(rule: string, lie: string) {
    super(`rule ${rule} ${lie}`)
    this.name = 'LyingRule'
  }
}

/** Judges one subject: what all rules find in it, in the order of the rules. */
export type Judge = <S extends Subject>(subject: S) => Finding<S>[]

export type JudgeOptions = {
  readonly rules: readonly AnyRule[]
  readonly settings: Settings
  /** Hears of a rule that threw; the other rules still speak. Without it the error is thrown on. */
  readonly onFault?: (rule: string, error: unknown, subject: Subject) => void
}

/** Makes the judge for one set of rules and settings; costs nothing to keep, and is meant to be kept. */
export function createJudge({ rules, settings, onFault }: JudgeOptions): Judge {
  const names = apiNames(settings.apiGroups)
  const active = rules.filter((rule) => isActive(rule, settings)).map((rule) => createRunner(rule, settings, names))
  const judging = (kind: Judged) => active.filter(({ rule }) => [rule.judges].flat().includes(kind))
  const runners = {
    Document: judging('Document'),
    RateLimitPolicy: judging('RateLimitPolicy'),
    UnknownVersion: judging('UnknownVersion'),
  }
  return (subject) => {
    const findings: Finding<typeof subject>[] = []
    for (const runner of runners[subject.kind]) {
      try {
        runner.run(subject, findings)
      } catch (error) {
        if (!onFault) throw error
        onFault(runner.rule.id, error, subject)
      }
    }
    return findings
  }
}

function isActive(rule: AnyRule, { rules, ruleset }: Settings): boolean {
  if (rules[rule.id] === 'off') return false
  return ruleset === undefined || rule.since === undefined || !isLater(rule.since, ruleset)
}

/** Compares `major.minor` versions. */
function isLater(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number)
  return major > thanMajor || (major === thanMajor && minor > thanMinor)
}

type Runner = { readonly rule: AnyRule; run<S extends Subject>(subject: S, findings: Finding<S>[]): void }

function createRunner(rule: AnyRule, settings: Settings, names: ApiNames): Runner {
  let current: { readonly subject: Subject; readonly findings: Finding[] } | undefined
  const subjectNow = () => {
    if (!current) throw new LyingRule(rule.id, 'looks around while it has no subject')
    return current
  }
  const context = createContext(
    rule,
    (read) => {
      const { subject } = subjectNow()
      if (read === 'previous') return subject.previous
      if (read === 'names') return names
      return read in subject.world
        ? subject.world[read as keyof typeof subject.world]
        : settings[read as keyof Settings]
    },
    (message, at, data, patch) => {
      const { subject, findings } = subjectNow()
      findings.push(createFinding(rule, settings, subject, message, at, data ?? {}, patch))
    },
  )
  return {
    rule,
    run(subject, findings) {
      current = { subject, findings: findings as Finding[] }
      try {
        rule.check(subject.view as never, context)
      } finally {
        current = undefined
      }
    },
  }
}

const READS: readonly Read[] = [
  'gateways',
  'routes',
  'policies',
  'namespaces',
  'variables',
  'platform',
  'budgets',
  'composition',
  'conflict',
  'names',
  'previous',
]

/** A context whose every member is a getter: what was not declared cannot be read. */
function createContext(rule: AnyRule, look: (read: Read) => unknown, report: Context['report']): Context {
  const context = { report }
  for (const read of READS) {
    const get = rule.reads?.includes(read)
      ? () => look(read)
      : () => {
          throw new LyingRule(rule.id, `reads "${read}", which it does not declare`)
        }
    Object.defineProperty(context, read, { get, enumerable: true })
  }
  return context as Context
}

function createFinding(
  rule: AnyRule,
  settings: Settings,
  subject: Subject,
  message: string,
  at: Place,
  data: Data,
  patch: readonly PatchOperation[] | undefined,
): Finding {
  const known: Message | undefined = Object.hasOwn(rule.messages, message) ? rule.messages[message] : undefined
  if (known === undefined) throw new LyingRule(rule.id, `reports "${message}", which is none of its messages`)
  if (patch && !rule.fix) throw new LyingRule(rule.id, 'mends without declaring "fix"')
  return {
    subject,
    rule: rule.id,
    message,
    severity: severityOf(rule, known, settings),
    data,
    ...locate(rule, subject, at),
    ...(patch ? { patch } : {}),
  }
}

function severityOf(rule: AnyRule, message: Message, settings: Settings): Severity {
  const set = settings.rules[rule.id]
  if (set !== undefined && set !== 'off') return set
  return (typeof message === 'string' ? undefined : message.severity) ?? rule.severity
}

function locate(rule: AnyRule, subject: Subject, at: Place): Pick<Finding, 'pointer' | 'range'> {
  if (typeof at === 'object' && 'start' in at) {
    if (subject.kind !== 'Document') throw new LyingRule(rule.id, 'points into a text, but judges an object')
    return { pointer: '', range: { start: at.start, end: at.end } }
  }
  const pointer = typeof at === 'string' ? at : at.pointer
  const root = 'object' in subject.view ? subject.view.object : undefined
  if (valueAt(root, pointer) === undefined && valueAt(root, parentPointer(pointer)) === undefined)
    throw new LyingRule(rule.id, `points to "${pointer}", where nothing is`)
  if (typeof at === 'object' && at.raw !== undefined && at.raw !== valueAt(root, pointer))
    throw new LyingRule(rule.id, `reports "${pointer}" of another object`)
  return { pointer }
}
