/** Asks the lint about a text, with the message id of every finding. */
import { RULES } from '../../rules/index.ts'
import type { AnyRule, Message } from '../../src/engine/rule.ts'
import { type LintOptions, type LintOutcome, lint } from '../../src/lint/lint.ts'
import type { ReportedFinding } from '../../src/lint/report.ts'
import type { Source } from '../../src/project/source.ts'
import type { Severity } from '../../src/settings/settings.ts'
import { type Fixture, sourceOf } from '../fixtures.ts'

/** A finding, and which message of its rule it is. */
export type NamedFinding = { readonly finding: ReportedFinding; readonly id: string }

/** What the lint finds in a text. */
export type Answer = Pick<LintOutcome, 'fixes'> & { readonly findings: readonly NamedFinding[] }

/** What a text is judged as: the options of a fixture, and the version before the change. */
export type Asked = Pick<Fixture, 'name' | 'options' | 'namespace' | 'previous'>

const named = (id: string, message: Message): Message =>
  typeof message === 'string' ? `${id} ${message}` : { ...message, text: `${id} ${message.text}` }

/** The rules with the id of each message before its text. */
const NAMED: readonly AnyRule[] = RULES.map((rule) => ({
  ...rule,
  messages: Object.fromEntries(Object.entries(rule.messages).map(([id, message]) => [id, named(id, message)])),
}))

/** Judges a text in the place of a fixture. */
export function ask(text: string, { name, options, namespace, previous }: Asked): Answer {
  const source = (content: string) => sourceOf(name, content, namespace)
  return askAbout([source(text)], { ...options, previous: previous === undefined ? [] : [source(previous)] })
}

/** Judges sources. */
export function askAbout(sources: readonly Source[], options: LintOptions = {}): Answer {
  const { report, fixes, faults } = lint(sources, { ...options, rules: NAMED })
  for (const { error } of faults) throw error
  const findings = report.findings.map((finding) => ({ finding, id: finding.message.split(' ', 1)[0] ?? '' }))
  return { findings, fixes }
}

const RANKS: Readonly<Record<Severity, number>> = { info: 0, warning: 1, error: 2 }

/** A finding without its place, which an edit may move, and without its words, as they contain values. */
const classOf = ({ finding: { rule, severity } }: NamedFinding): string => `${severity} ${rule}`

/** What a remedy has done: whether its finding is gone, and what is found more often that is as bad as it, or worse. */
export function compare(cured: NamedFinding, before: Answer, after: Answer) {
  const left = before.findings.map(classOf)
  left.splice(left.indexOf(classOf(cured)), 1)
  const added = after.findings.filter((named) => {
    const at = left.indexOf(classOf(named))
    if (at !== -1) left.splice(at, 1)
    return at === -1
  })
  return {
    isGone: countOf(after, cured) < countOf(before, cured),
    worse: added
      .filter(({ finding: { severity } }) => RANKS[severity] >= RANKS[cured.finding.severity])
      .map(({ finding: { rule, line, message, help } }) => `${line}: ${rule} ${message} (${help})`),
  }
}

const countOf = ({ findings }: Answer, { finding: { rule, message } }: NamedFinding): number =>
  findings.filter(({ finding }) => finding.rule === rule && finding.message === message).length
