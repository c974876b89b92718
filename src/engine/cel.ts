/**
 * What a rule says in CEL, the language of ValidatingAdmissionPolicies. Source: Kubernetes, "Common Expression Language in
 * Kubernetes", as of 1.30.
 */
import type { CelVariable } from '../world/system.ts'

/** What CEL says of a rule. Expressions read the view of the object, under its name, and never fail. */
export type CelRule<MessageId extends string = string> = {
  /** Further variables that the expressions use. */
  readonly variables?: readonly CelVariable[]
  /** The name of an item, such as `limit`; without it the object itself is judged. */
  readonly each?: string
  /** The list of the items: `policy.limits`. */
  readonly of?: string
  /** Of each item, the first whose condition holds is reported. */
  readonly cases: readonly CelCase<MessageId>[]
}

/** A message of the rule, and when it is reported. */
export type CelCase<MessageId extends string = string> = {
  readonly message: MessageId
  readonly when: string
  /** The member of the item at which it is reported, or the path in the object itself. */
  readonly at?: string
  /**
   * For each placeholder an expression that is a string. A message whose remedy has others too gets the remedy of the
   * rule.
   */
  readonly values?: Readonly<Record<string, string>>
}

/** A text as a literal of CEL. */
export const celText = (text: string): string =>
  `'${text.replace(/[\\']/g, (character) => `\\${character}`).replaceAll('\n', '\\n')}'`
