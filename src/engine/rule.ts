/** What a rule is. One file in `rules/` exports one of these by default. */

import type { PolicyView } from '../gateway/objects/policy.ts'
import type { PatchOperation } from '../json/patch.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { Settings, Severity } from '../settings/settings.ts'
import type { World } from '../world/world.ts'
import type { DocumentView } from '../yaml/documents.ts'
import type { SuppressionsView } from './suppression.ts'

/** What a rule can judge, and the view that it gets of it. */
export type Views = {
  /** The text itself, where a judged kind is named in it. */
  Document: DocumentView
  RateLimitPolicy: PolicyView
  /** A RateLimitPolicy whose apiVersion is a version of our group that we do not know. */
  UnknownVersion: PolicyView
  /** The comments of a text, or the annotation of an object, that keep findings quiet. */
  Suppressions: SuppressionsView
}
export type Judged = keyof Views

/** What a rule may look at beyond its subject; each is a permission that the rule declares in `reads`. */
export type Surroundings = World &
  Pick<Settings, 'platform' | 'budgets' | 'composition' | 'conflict'> & {
    readonly names: ApiNames
    /** The subject's version before the change; undefined where it is new. */
    readonly previous: PolicyView | undefined
  }
export type Read = keyof Surroundings

export type { PatchOperation }

/** Values that fill the placeholders of a message. */
export type Data = Readonly<Record<string, string | number | boolean | undefined>>

/** A sentence with `{placeholders}`; an object where it weighs or is mended otherwise than its rule says. */
export type Message =
  | string
  | {
      readonly text: string
      readonly severity?: Severity
      readonly remedy?: string
      /** Marks the key of the member in a text, where the name and not the value is the mistake. */
      readonly marks?: 'key'
    }

/** Where in the subject: a member, a pointer, or (documents only) offsets into the text. */
export type Place =
  | string
  | { readonly pointer: string; readonly raw?: unknown }
  | { readonly start: number; readonly end: number }

/** What `check` gets beside its subject. */
export type Context<MessageId extends string = string> = Surroundings & {
  /** Says that something is wrong at a place of the subject. `data` fills the message, `patch` mends it. */
  report(message: MessageId, at: Place, data?: Data, patch?: readonly PatchOperation[]): void
}

/** One check of this project. */
export type Rule<Kind extends Judged = Judged, MessageId extends string = string> = {
  /** `<system>/<name>`; fixed for ever, as people write it in their settings. */
  readonly id: string
  readonly severity: Severity
  readonly judges: Kind | readonly Kind[]
  readonly reads?: readonly Read[]
  /** The release that brought it, `major.minor`. */
  readonly since?: string
  /** `safe` patches change no behaviour that the author can have meant; `opt-in` ones do. */
  readonly fix?: 'safe' | 'opt-in'
  /** One line. */
  readonly summary: string
  /** Why it matters: what happens to traffic, to the reload, to the neighbours. */
  readonly why: string
  /** What to do. May use the placeholders of the messages' data. */
  readonly remedy: string
  /** Where the fact comes from: the specification's section or nginx's documentation. */
  readonly source: string
  readonly messages: Readonly<Record<MessageId, Message>>
  /**
   * Whole manifests, as YAML; `previous` is the version before the change, for rules that compare, and `settings`
   * are those without which the rule has nothing to say.
   */
  readonly examples: {
    readonly bad: string
    readonly good: string
    readonly previous?: string
    readonly settings?: Partial<Pick<Settings, 'composition' | 'conflict'>>
  }
  check(subject: Views[Kind], context: Context<MessageId>): void
}

/** A rule whose own types do not matter to whoever holds it. */
export type AnyRule = Omit<Rule, 'check'> & { check(subject: never, context: Context): void }

/** Gives a rule its types; returns it as it is. */
export const rule = <Kind extends Judged, MessageId extends string>(
  spec: Rule<Kind, MessageId>,
): Rule<Kind, MessageId> => spec
