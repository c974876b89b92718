/** Settings as the rules and the engine see them: complete, validated, without a trace of where they came from. */
import { DEFAULT_NAME_PARTS, type NameParts } from '../kubernetes/api-groups.ts'

/** How serious a finding is. */
export type Severity = 'error' | 'warning' | 'info'

/** Severity of a rule as people may set it. */
export type RuleSetting = Severity | 'off'

/** The nginx and the machine that will run the policies. */
type Platform = {
  /** `major.minor.patch` or `major.minor`. */
  readonly nginxVersion: string
  /** True for NGINX Plus. */
  readonly plus: boolean
  /** Memory page size in bytes; a zone takes at least eight pages. */
  readonly pageSize: number
  /** Variables that configuration defines elsewhere, without `$`. */
  readonly variables: readonly string[]
}

/** Thresholds of the rules that warn about amounts. */
type Budgets = {
  /** Bytes of shared memory that the zones of one policy may take together. */
  readonly zoneMemory: number
  /** Keys that each zone should hold. */
  readonly expectedKeys: number
  /** Seconds that a request may wait in a full queue. */
  readonly queueSeconds: number
}

/** Everything that rules and the engine depend on beside the objects. */
export type Settings = {
  readonly rules: Readonly<Record<string, RuleSetting>>
  /** Pins the set of rules: rules that were added later are not active. */
  readonly ruleset: string | undefined
  readonly platform: Platform
  readonly budgets: Budgets
  /** How Gateway and route limits compose: `stack` (both enforced) or `inherit` (as nginx inherits directives). */
  readonly composition: 'stack' | 'inherit'
  /** When two policies conflict: both set the same field, or the preferred one sets any of the three. */
  readonly conflict: 'same-field' | 'any-field'
  readonly apiGroups: NameParts
}

/** The settings without a settings file. */
export const DEFAULT_SETTINGS: Settings = {
  rules: {},
  ruleset: undefined,
  platform: { nginxVersion: '1.31', plus: false, pageSize: 4096, variables: [] },
  budgets: { zoneMemory: 256 * 1024 * 1024, expectedKeys: 1000, queueSeconds: 30 },
  composition: 'stack',
  conflict: 'same-field',
  apiGroups: DEFAULT_NAME_PARTS,
}
