/** What a settings file may say: the types of the published schema. */
import type { AdmissionSettings, LocalPolicy, RuleSetting, Settings, WorldPaths } from './settings.ts'

/** A severity as YAML gives it: an unquoted `off` is false there. */
export type WrittenSeverities = Readonly<Record<string, RuleSetting | false>>

/** A settings file that meets the schema. */
export type SettingsFile = {
  /** For editors. */
  readonly $schema?: string
  readonly rules?: WrittenSeverities
  readonly ruleset?: string
  readonly platform?: Partial<Settings['platform']>
  readonly budgets?: {
    /** A size such as `256m`, or bytes. */
    readonly zoneMemory?: string | number
    readonly expectedKeys?: number
    readonly queueSeconds?: number
  }
  readonly fabricVersion?: Settings['fabricVersion']
  readonly composition?: Settings['composition']
  readonly conflict?: Settings['conflict']
  readonly zoneNaming?: Settings['zoneNaming']
  readonly affectedRoutes?: Settings['affectedRoutes']
  readonly worlds?: readonly WorldPaths[]
  readonly overrides?: readonly { readonly files: readonly string[]; readonly rules: WrittenSeverities }[]
  readonly ignores?: readonly string[]
  readonly failOnUnjudged?: boolean | readonly string[]
  readonly apiGroups?: Partial<Settings['apiGroups']>
  readonly mesh?: Settings['mesh']
  readonly meshMtls?: Settings['meshMtls']
  readonly meshRedirect?: Settings['meshRedirect']
  readonly meshSocket?: Settings['meshSocket']
  readonly podTemplates?: Settings['podTemplates']
  readonly policies?: readonly (Pick<LocalPolicy, 'name' | 'expression' | 'message'> & Partial<LocalPolicy>)[]
  readonly admission?: Partial<AdmissionSettings>
}

/** One place where a value does not meet the schema. */
export type SettingsSchemaError = {
  /** JSON Pointer into the value. */
  readonly instancePath: string
  /** What was not met: `type`, `additionalProperties` … */
  readonly keyword: string
  readonly params: Readonly<Record<string, unknown>>
  /** The schema that holds the keyword. */
  readonly parentSchema: {
    /** What is expected, in a few words. */
    readonly title?: string
    readonly type?: unknown
    readonly enum?: readonly unknown[]
    readonly properties?: Readonly<Record<string, unknown>>
  }
  readonly data: unknown
  /** The key that was rejected, for errors about a key. */
  readonly propertyName?: string
}
