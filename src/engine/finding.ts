/** What a rule found: no prose, no line number. */

import type { PolicyView } from '../gateway/objects/policy.ts'
import type { Identity } from '../kubernetes/metadata.ts'
import type { Severity } from '../settings/settings.ts'
import type { World } from '../world/world.ts'
import type { AnyRule, Data, Judged, Message, PatchOperation, Views } from './rule.ts'

/** An object (or text) to judge, with the world that it lives in. */
export type Subject = {
  readonly identity: Identity
  readonly world: World
  /** Its version before the change, where there is one. */
  readonly previous?: PolicyView | undefined
} & {
  readonly [Kind in Judged]: { readonly kind: Kind; readonly view: Views[Kind] }
}[Judged]

/** One thing wrong with a subject. */
export type Finding<S extends Subject = Subject> = {
  readonly subject: S
  /** Rule id. */
  readonly rule: string
  /** Message id within the rule. */
  readonly message: string
  readonly severity: Severity
  readonly data: Data
  /** JSON Pointer into the object; empty for a text. */
  readonly pointer: string
  /** UTF-16 offsets into the file, for findings about a text. */
  readonly range?: { readonly start: number; readonly end: number }
  readonly patch?: readonly PatchOperation[]
}

/** The prose of a finding. */
export type Prose = { readonly message: string; readonly help: string }

/** Puts a finding into words. Throws where the rule left a placeholder without a value. */
export function prose(rule: AnyRule, finding: Pick<Finding, 'message' | 'data'>): Prose {
  const message: Message | undefined = rule.messages[finding.message]
  if (message === undefined) throw new Error(`${rule.id} has no message "${finding.message}"`)
  const { text, remedy = rule.remedy } = typeof message === 'string' ? { text: message } : message
  return { message: fill(text, finding.data, rule.id), help: fill(remedy, finding.data, rule.id) }
}

/** Which token of the member a finding marks in a text. */
export function markedToken(rule: AnyRule, { message }: Pick<Finding, 'message'>): 'key' | 'value' {
  const known: Message | undefined = rule.messages[message]
  return (typeof known === 'object' ? known.marks : undefined) ?? 'value'
}

function fill(template: string, data: Data, rule: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = data[name]
    if (value === undefined) throw new Error(`${rule}: nothing fills {${name}} in "${template}"`)
    return String(value)
  })
}
