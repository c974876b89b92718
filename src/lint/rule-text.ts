/** What people can read about a rule, as plain data. */
import { withoutValues } from '../engine/finding.ts'
import { type AnyRule, judgedBy, type Message } from '../engine/rule.ts'
import type { Severity } from '../settings/settings.ts'
import { canBeCommented } from './suppressions/problems.ts'

/** One message of a rule; `…` stands for what a finding fills in. */
export type RuleMessage = {
  readonly id: string
  readonly text: string
  /** Null where they are those of the rule. */
  readonly severity: Severity | null
  readonly remedy: string | null
}

/** The text of a rule. Its JSON is a contract: schemas/explain.schema.json. */
export type RuleText = {
  readonly id: string
  readonly severity: Severity
  /** The kinds that it judges: `RateLimitPolicy`, `Document`, `Suppressions`. */
  readonly judges: readonly string[]
  /** `safe` fixes change no behaviour that the author can have meant; null where there is no fix. */
  readonly fix: 'safe' | 'opt-in' | null
  /** The release that brought it; null for those of the first. */
  readonly since: string | null
  readonly summary: string
  readonly why: string
  readonly remedy: string
  readonly messages: readonly RuleMessage[]
  /** Whole manifests as YAML; `previous` is the version before the change, for rules that compare. */
  readonly examples: { readonly bad: string; readonly good: string; readonly previous: string | null }
  /** The comment that suppresses it in the next line; null where none can. */
  readonly suppression: string | null
  readonly source: string
}

/** The text of a rule. */
export function ruleText(rule: AnyRule): RuleText {
  const { id, severity, fix = null, since = null, summary, why, remedy, messages, source } = rule
  const { bad, good, previous = null } = rule.examples()
  return {
    id,
    severity,
    judges: judgedBy(rule),
    fix,
    since,
    summary,
    why,
    remedy,
    messages: Object.entries(messages).map(([name, message]) => messageText(name, message)),
    examples: { bad, good, previous },
    suppression: canBeCommented(rule) ? `# sluice-disable-next-line ${id} -- the reason` : null,
    source,
  }
}

function messageText(id: string, message: Message): RuleMessage {
  const { text, severity = null, remedy = null } = typeof message === 'string' ? { text: message } : message
  return { id, text: withoutValues(text), severity, remedy: remedy === null ? null : withoutValues(remedy) }
}
