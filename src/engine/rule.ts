/** What a rule is. One file in `rules/` exports one of these by default. */
import type { PatchOperation } from '../json/patch.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { RefusalCause } from '../kustomize/failure.ts'
import type { AdmissionSettings, Settings, Severity } from '../settings/settings.ts'
import type { BaseLookups } from '../world/world.ts'
import type { DocumentView } from '../yaml/documents.ts'
import type { CelRule } from './cel.ts'
import type { SuppressionsView } from './suppression.ts'

export type { PatchOperation }

/** What the rules of a system judge and may look up, as types. */
export type RuleTypes = {
  /** Views by the name that a rule states in `judges`. */
  readonly views: object
  /** Lookups by the name that a rule states in `reads`, in addition to those of every system. */
  readonly lookups: object
}

/** The settings that a rule may read. */
type RuleSettings = Pick<
  Settings,
  | 'platform'
  | 'budgets'
  | 'fabricVersion'
  | 'composition'
  | 'conflict'
  | 'zoneNaming'
  | 'meshMtls'
  | 'meshRedirect'
  | 'meshSocket'
> & {
  readonly names: ApiNames
}

/** Values that fill the placeholders of a message. */
export type Data = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * When the webhook denies an error of a rule that looks up other objects: always; unless it is a dry run, in which those
 * objects may come with the same request; or only in a namespace that is older than a few minutes, where all objects
 * have had time to arrive.
 */
export type Denial = 'always' | 'unless-dry-run' | 'in-settled-namespace'

/** A sentence with `{placeholders}`; an object where its severity or remedy differs from that of the rule. */
export type Message =
  | string
  | {
      readonly text: string
      readonly severity?: Severity
      readonly remedy?: string
      /** Marks the key of the member in a text instead of its value: where the name is the mistake. */
      readonly marks?: 'key'
    }

/** Where in the subject: a member, a JSON Pointer, or (documents only) UTF-16 offsets into the text. */
export type FindingPlace =
  | string
  | { readonly pointer: string; readonly raw?: unknown }
  | { readonly start: number; readonly end: number }

/** What `check` gets beside its subject: settings, lookups, and the function that reports. */
export type RuleContext<Types extends RuleTypes, View, MessageId extends string = string> = RuleSettings &
  BaseLookups &
  Types['lookups'] & {
    /** The subject's version before the change; undefined where it is new. */
    readonly previous: View | undefined
    /** The lookups of the world in which `previous` was; undefined where they are not known to differ. */
    readonly before: (BaseLookups & Types['lookups']) | undefined
    /** Reports that something is wrong at a place of the subject. `data` fills the message, `patch` fixes it. */
    report(message: MessageId, at: FindingPlace, data?: Data, patch?: readonly PatchOperation[]): void
  }

/** What a rule may read beyond its subject; each is a permission that the rule declares in `reads`. */
export type Read<Types extends RuleTypes> =
  | keyof RuleSettings
  | keyof BaseLookups
  | 'previous'
  | 'before'
  | (keyof Types['lookups'] & string)

/** A rule in CEL, or why there is none. */
type RuleInCel<MessageId extends string> = CelRule<MessageId> | string

type Facts<MessageId extends string> = {
  /** `<system>/<name>`; it never changes, as people write it in their settings. */
  readonly id: string
  readonly severity: Severity
  /** True for a rule that is off unless the settings give it a severity. */
  readonly isOff?: true
  /** The release that brought it, `major.minor`. */
  readonly since?: string
  /** `safe` patches change no behaviour that the author can have meant; `opt-in` ones do. */
  readonly fix?: 'safe' | 'opt-in'
  /** One line. */
  readonly summary: string
  /** Why it matters: what happens to traffic, to the reload, to other policies. */
  readonly why: string
  /** What to do, without placeholders: `explain` and other pages show it where nothing is found. */
  readonly remedy: string
  /** Where the fact comes from: the specification's section or nginx's documentation. */
  readonly source: string
  readonly messages: Readonly<Record<MessageId, Message>>
  /** Errors that the webhook denies although the rule looks up other objects, by message. */
  readonly denies?: Readonly<Partial<Record<MessageId, Denial>>>
  /** True where other objects that the rule looks up only silence it: in an open world it finds all that it can find. */
  readonly lookupsOnlySilence?: true
  /**
   * The rule in CEL, for clusters without the webhook; a text says why CEL cannot say it. Rules that look up other
   * objects need no text.
   */
  readonly cel?: RuleInCel<NoInfer<MessageId>> | ((settings: RuleSettings) => RuleInCel<NoInfer<MessageId>>)
  /** For an opt-in fix: true where the settings let the mutating webhook write it. */
  mutatesWith?(admission: AdmissionSettings, settings: Pick<Settings, 'zoneNaming'>): boolean
  /**
   * Whole manifests, as YAML; `previous` is the version before the change, for rules that compare, and `settings`
   * are those without which the rule reports nothing. A function, as most runs need none of them.
   */
  examples(): {
    readonly bad: string
    readonly good: string
    readonly previous?: string
    readonly settings?: Partial<
      Pick<Settings, 'fabricVersion' | 'composition' | 'conflict' | 'mesh' | 'meshMtls' | 'rules'>
    >
  }
}

/** One check of this project. */
export type Rule<
  Types extends RuleTypes,
  Judged extends keyof Types['views'],
  MessageId extends string = string,
> = Facts<MessageId> & {
  readonly judges: Judged | readonly Judged[]
  readonly reads?: readonly Read<Types>[]
  check(subject: Types['views'][Judged], context: RuleContext<Types, Types['views'][Judged], MessageId>): void
}

/** A rule without the types of its system. */
export type AnyRule = Facts<string> & {
  readonly judges: string | readonly string[]
  readonly reads?: readonly string[]
  check(subject: never, context: never): void
}

/** Makes the function that gives the rules of a system their types; it returns a rule as it is. */
export const ruleOf =
  <Types extends RuleTypes>() =>
  <Judged extends keyof Types['views'], MessageId extends string>(
    spec: Rule<Types, Judged, MessageId>,
  ): Rule<Types, Judged, MessageId> =>
    spec

/** Why kustomize refuses a build; `place` is where in the subject. */
type RefusalView = { readonly cause: RefusalCause; readonly reason: string; readonly place: FindingPlace }

/** What every run judges beside the objects of systems. */
export type DocumentRules = {
  readonly views: {
    /** The text of a document that names a judged kind. */
    readonly Document: DocumentView
    /** The comments of a text, or the annotation of an object, that suppress findings. */
    readonly Suppressions: SuppressionsView
    /** What kustomize refuses to build. */
    readonly Kustomization: RefusalView
  }
  readonly lookups: object
}

/** Gives a rule about texts or suppressions its types. */
export const documentRule = ruleOf<DocumentRules>()

/** The names under which a rule judges objects. */
export const judgedBy = ({ judges }: Pick<AnyRule, 'judges'>): readonly string[] =>
  typeof judges === 'string' ? [judges] : judges
