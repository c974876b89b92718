/** Runs rules over subjects. Knows no rule and no surface, and catches rules that lie. */
import { type ApiNames, apiNames } from '../kubernetes/api-groups.ts'
import type { Settings, Severity } from '../settings/settings.ts'
import { checkedMessage, checkedPlace, checkPatch, LyingRule } from './contract.ts'
import type { Finding, Subject } from './finding.ts'
import type { AnyRule, Context, Judged, Message, Read } from './rule.ts'

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
  const desk: Desk<S> = { rule: undefined, subject: undefined, findings: [] }
  const names = apiNames(settings.apiGroups)
  const active = rules
    .filter((rule) => isActive(rule, settings))
    .map((rule) => ({ rule, check: rule.check, context: createContext(rule, { settings, names, desk }) }))
  const judging = (kind: Judged) => active.filter(({ rule }) => [rule.judges].flat().includes(kind))
  const sets = {
    Document: judging('Document'),
    RateLimitPolicy: judging('RateLimitPolicy'),
    Suppressions: judging('Suppressions'),
    UnknownVersion: judging('UnknownVersion'),
  }
  return (subject) => {
    desk.subject = subject
    desk.findings = []
    try {
      for (const { rule, check, context } of sets[subject.kind]) {
        desk.rule = rule
        try {
          check(subject.view as never, context)
        } catch (error) {
          if (!onFault) throw error
          onFault(rule.id, error, subject)
        }
      }
      return desk.findings
    } finally {
      desk.rule = undefined
      desk.subject = undefined
    }
  }
}

/** True for a rule that settings neither switch off nor leave to later releases. */
export function isActive(rule: AnyRule, { rules, ruleset }: Pick<Settings, 'rules' | 'ruleset'>): boolean {
  if (rules[rule.id] === 'off') return false
  return ruleset === undefined || rule.since === undefined || !isLater(rule.since, ruleset)
}

/** Compares `major.minor` versions. */
function isLater(version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [thanMajor = 0, thanMinor = 0] = than.split('.').map(Number)
  return major > thanMajor || (major === thanMajor && minor > thanMinor)
}

/** What is being judged, and by which rule. */
type Desk<S extends Subject> = { rule: AnyRule | undefined; subject: S | undefined; findings: Finding<S>[] }

type Office<S extends Subject> = { readonly settings: Settings; readonly names: ApiNames; readonly desk: Desk<S> }

const SETTINGS_READ = ['platform', 'budgets', 'composition', 'conflict'] as const
const WORLD_READ = ['gateways', 'routes', 'policies', 'namespaces', 'variables'] as const

/** A context in which what the rule did not declare cannot be read. */
function createContext<S extends Subject>(rule: AnyRule, { settings, names, desk }: Office<S>): Context {
  const subjectNow = () => {
    if (desk.rule !== rule || !desk.subject) throw new LyingRule(rule.id, 'looks around while it judges nothing')
    return desk.subject
  }
  const report: Context['report'] = (message, at, data = {}, patch) => {
    const subject = subjectNow()
    const severity = severityOf(rule, checkedMessage(rule, message), settings)
    checkPatch(rule, patch)
    const mend = patch ? { patch } : {}
    desk.findings.push({ subject, rule: rule.id, message, severity, data, ...checkedPlace(rule, subject, at), ...mend })
  }
  const context = { report }
  /** Decides once what is declared: the getters themselves run for every policy. */
  const allow = (read: Read, get: () => unknown) => {
    const refuse = () => {
      throw new LyingRule(rule.id, `reads "${read}", which it does not declare`)
    }
    Object.defineProperty(context, read, { get: rule.reads?.includes(read) ? get : refuse, enumerable: true })
  }
  allow('names', () => names)
  allow('previous', () => subjectNow().previous)
  for (const read of SETTINGS_READ) allow(read, () => settings[read])
  for (const read of WORLD_READ) allow(read, () => subjectNow().world[read])
  return context as Context
}

function severityOf(rule: AnyRule, message: Message, settings: Settings): Severity {
  const set = settings.rules[rule.id]
  if (set !== undefined && set !== 'off') return set
  return (typeof message === 'string' ? undefined : message.severity) ?? rule.severity
}
