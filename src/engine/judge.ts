/** Runs rules over subjects. Knows no rule and no surface, and catches rules that lie. */
import { type ApiNames, apiNames } from '../names.ts'
import type { Finding, Subject } from './finding.ts'
import { checkedMessage, checkedPlace, checkPatch, LyingRule } from './lies.ts'
import type { AnyRule, Context, Judged, Message, Read } from './rule.ts'
import type { Settings, Severity } from './settings.ts'

/** Judges one subject: what all rules find in it, in the order of the rules. */
export type Judge<S extends Subject> = (subject: S) => Finding<S>[]

export type JudgeOptions<S extends Subject> = {
  readonly rules: readonly AnyRule[]
  readonly settings: Settings
  /** Hears of a rule that threw; the other rules still speak. Without it the error is thrown on. */
  readonly onFault?: (rule: string, error: unknown, subject: S) => void
}

/** Makes the judge for one set of rules and settings; costs nothing to keep, and is meant to be kept. */
export function createJudge<S extends Subject>({ rules, settings, onFault }: JudgeOptions<S>): Judge<S> {
  const names = apiNames(settings.apiGroups)
  const active = rules.filter((rule) => isActive(rule, settings)).map((rule) => createRunner<S>(rule, settings, names))
  const judging = (kind: Judged) => active.filter(({ rule }) => [rule.judges].flat().includes(kind))
  const runners = {
    Document: judging('Document'),
    RateLimitPolicy: judging('RateLimitPolicy'),
    UnknownVersion: judging('UnknownVersion'),
  }
  return (subject) => {
    const findings: Finding<S>[] = []
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

type Runner<S extends Subject> = { readonly rule: AnyRule; run(subject: S, findings: Finding<S>[]): void }

function createRunner<S extends Subject>(rule: AnyRule, settings: Settings, names: ApiNames): Runner<S> {
  let current: { readonly subject: S; readonly findings: Finding<S>[] } | undefined
  const now = () => {
    if (!current) throw new LyingRule(rule.id, 'looks around while it has no subject')
    return current
  }
  const look = (read: Read): unknown => {
    const { subject } = now()
    if (read === 'previous') return subject.previous
    if (read === 'names') return names
    return isOfSettings(read) ? settings[read] : subject.world[read]
  }
  const context = createContext(rule, look, (message, at, data = {}, patch) => {
    const { subject, findings } = now()
    const known = checkedMessage(rule, message)
    checkPatch(rule, patch)
    const severity = severityOf(rule, known, settings)
    const mend = patch ? { patch } : {}
    findings.push({ subject, rule: rule.id, message, severity, data, ...checkedPlace(rule, subject, at), ...mend })
  })
  return {
    rule,
    run(subject, findings) {
      current = { subject, findings }
      try {
        rule.check(subject.view as never, context)
      } finally {
        current = undefined
      }
    },
  }
}

const SETTINGS_READ = ['platform', 'budgets', 'composition', 'conflict'] as const
const WORLD_READ = ['gateways', 'routes', 'policies', 'namespaces', 'variables'] as const
const READS: readonly Read[] = [...WORLD_READ, ...SETTINGS_READ, 'names', 'previous']

const isOfSettings = (read: Exclude<Read, 'previous' | 'names'>): read is (typeof SETTINGS_READ)[number] =>
  SETTINGS_READ.some((name) => name === read)

/** A context whose every member is a getter: what was not declared cannot be read. */
function createContext(rule: AnyRule, look: (read: Read) => unknown, report: Context['report']): Context {
  const context = { report }
  for (const read of READS) {
    const get = () => {
      if (!rule.reads?.includes(read)) throw new LyingRule(rule.id, `reads "${read}", which it does not declare`)
      return look(read)
    }
    Object.defineProperty(context, read, { get, enumerable: true })
  }
  return context as Context
}

function severityOf(rule: AnyRule, message: Message, settings: Settings): Severity {
  const set = settings.rules[rule.id]
  if (set !== undefined && set !== 'off') return set
  return (typeof message === 'string' ? undefined : message.severity) ?? rule.severity
}
