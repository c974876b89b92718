/** What a rule found: neither sentences nor line numbers. And the same in words, as every surface shows it. */
import type { JsonObject } from '../json/member.ts'
import { type Identity, namespaceName } from '../kubernetes/metadata.ts'
import type { Severity } from '../settings/settings.ts'
import type { ObjectView } from '../world/objects.ts'
import type { World } from '../world/world.ts'
import type { AnyRule, Data, Message, PatchOperation } from './rule.ts'

/** An object (or text) to judge, with the world around it. */
export type Subject = {
  /** The name under which rules judge it (`judges`), such as `RateLimitPolicy` or `Document`. */
  readonly kind: string
  /** What `check` gets. */
  readonly view: unknown
  /** What the pointers of findings lead into; undefined for a text. */
  readonly object: JsonObject | undefined
  readonly identity: Identity
  readonly world: SubjectWorld
  /** Its view before the change, where there is one. */
  readonly previous?: ObjectView | undefined
  /** The world in which `previous` was; undefined where it is not known to differ from today's. */
  readonly worldBefore?: (() => SubjectWorld) | undefined
}

/** The world of a subject. Without `forRelease` its lookups are those of the release of the settings. */
export type SubjectWorld = Pick<World, 'lookups'> & Partial<Pick<World, 'forRelease'>>

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

/** How reports name an object. Empty strings where unknown. */
export type ObjectName = { readonly kind: string; readonly namespace: string; readonly name: string }

/** A finding in words. Every surface shows these members and adds its own: places, fields, patches. */
export type DescribedFinding = {
  readonly rule: string
  readonly severity: Severity
  /** JSON Pointer into the object; empty for a finding about the text. */
  readonly pointer: string
  /** What is wrong. */
  readonly message: string
  /** What to do. */
  readonly help: string
  readonly object: ObjectName
}

/** Describes a finding. Throws where the rule left a placeholder without a value. */
export function describeFinding(rule: AnyRule, finding: Finding): DescribedFinding {
  const { rule: id, severity, pointer } = finding
  const { kind, namespace, name = '' } = finding.subject.identity
  const object = { kind, namespace: namespaceName(namespace), name }
  return { rule: id, severity, pointer, ...describeMessage(rule, finding), object }
}

/** The sentences of a message. Throws where the rule left a placeholder without a value. */
export function describeMessage(
  rule: AnyRule,
  finding: Pick<Finding, 'message' | 'data'>,
): Pick<DescribedFinding, 'message' | 'help'> {
  const message: Message | undefined = rule.messages[finding.message]
  if (message === undefined) throw new Error(`${rule.id} has no message "${finding.message}"`)
  const { text, remedy } = typeof message === 'string' ? { text: message } : message
  const help = remedy === undefined ? rule.remedy : fill(remedy, finding.data, rule.id)
  return { message: fill(text, finding.data, rule.id), help }
}

/** A sentence of a rule where nothing is found: with `…` for every value. */
export const withoutValues = (template: string): string => template.replace(PLACEHOLDER, '…')

const PLACEHOLDER = /\{(\w+)\}/g

/** Which token of the member a finding marks in a text. */
export function markedToken(rule: AnyRule, { message }: Pick<Finding, 'message'>): 'key' | 'value' {
  const known: Message | undefined = rule.messages[message]
  return (typeof known === 'object' ? known.marks : undefined) ?? 'value'
}

function fill(template: string, data: Data, rule: string): string {
  return template.replace(PLACEHOLDER, (_, name: string) => {
    const value = data[name]
    if (value === undefined) throw new Error(`${rule}: {${name}} in "${template}" has no value`)
    return String(value)
  })
}
