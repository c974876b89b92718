/** Settings as the rules and the engine see them: complete, validated, without a trace of where they came from. */
import { type FabricVersion, NEWEST_RELEASE } from '../fabric/releases.ts'
import { DEFAULT_NAME_PARTS, type NameParts } from '../kubernetes/api-groups.ts'
import type { PodTemplates } from '../kubernetes/pod-templates.ts'
import type { ZoneNaming } from '../limits/zone.ts'
import type { UnjudgedCode } from './unjudged.ts'

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

/** What the ids of the team's own rules begin with. */
export const LOCAL_PREFIX = 'local/'

/** What a policy is about that says nothing of it. */
export const DEFAULT_KINDS: readonly string[] = ['RateLimitPolicy']

/** One of the team's own rules. */
export type LocalPolicy = {
  /** Its id is `local/<name>`. */
  readonly name: string
  /** The names under which rules judge the objects that it is about: `RateLimitPolicy`. */
  readonly kinds: readonly string[]
  /** CEL: true for an object that is fine. */
  readonly expression: string
  /** What is wrong with an object of which it is not true. */
  readonly message: string
  /** CEL: the message for an object; where it gives none, `message` counts. */
  readonly messageExpression?: string
  readonly severity: Severity
  /** What to do. */
  readonly remedy: string
}

/** Everything that rules and the engine depend on beside the objects. */
export type Settings = {
  readonly rules: Readonly<Record<string, RuleSetting>>
  /** Pins the set of rules: rules that were added later are not active. */
  readonly ruleset: string | undefined
  readonly platform: Platform
  readonly budgets: Budgets
  /** The release of NGINX Gateway Fabric that gets the policies. */
  readonly fabricVersion: FabricVersion
  /** How Gateway and route limits compose: `stack` (both enforced) or `inherit` (as nginx inherits directives). */
  readonly composition: 'stack' | 'inherit'
  /** When two policies conflict: both set the same field, or the preferred one sets any of the three. */
  readonly conflict: 'same-field' | 'any-field'
  /** How zones are named: by position (`indexed`), or by position and a digest of the key (`keyed`). */
  readonly zoneNaming: ZoneNaming
  /** Which routes carry the condition RateLimitPolicyAffected: those that policies target, or also those on targeted Gateways. */
  readonly affectedRoutes: 'targeted' | 'attached'
  readonly apiGroups: NameParts
  /** True: the objects of the mesh are judged in every text, and not only in one that names its API group. */
  readonly mesh: boolean
  /** `strict`: a stored configuration of the mesh whose mTLS is off or permissive is reported. */
  readonly meshMtls: 'any' | 'strict'
  /** What redirects the traffic of a Pod to its sidecar: an init container, a plugin of the network, or nothing. */
  readonly meshRedirect: 'init-container' | 'cni' | 'none'
  /** The volume with the socket of SPIRE: a folder of the node (`hostPath`), or one of the CSI driver of SPIFFE. */
  readonly meshSocket: 'host-path' | 'csi'
  /** Where custom kinds have their Pod templates, beside those that are known by their shape. */
  readonly podTemplates: readonly PodTemplates[]
  /** The team's own rules. */
  readonly policies: readonly LocalPolicy[]
}

/** The settings without a settings file. */
export const DEFAULT_SETTINGS: Settings = {
  rules: {},
  ruleset: undefined,
  platform: { nginxVersion: '1.31', plus: false, pageSize: 4096, variables: [] },
  budgets: { zoneMemory: 256 * 1024 * 1024, expectedKeys: 1000, queueSeconds: 30 },
  fabricVersion: NEWEST_RELEASE,
  composition: 'stack',
  conflict: 'same-field',
  zoneNaming: 'indexed',
  affectedRoutes: 'targeted',
  apiGroups: DEFAULT_NAME_PARTS,
  mesh: false,
  meshMtls: 'any',
  meshRedirect: 'init-container',
  meshSocket: 'host-path',
  podTemplates: [],
  policies: [],
}

/** What the webhook does with what the rules find. */
export type AdmissionSettings = {
  /** `warn` allows everything; warnings and a metric report what would have been denied. */
  readonly enforce: 'deny' | 'warn'
  /** True: also an update that adds no new error is denied where the object already had one. */
  readonly strict: boolean
  /** The effect of errors that depend on other objects, which may only not have arrived yet. */
  readonly crossObject: 'warn' | 'deny'
  /** `resize`: where mutation is on, a changed key gets another zone size instead of a denial. */
  readonly keyChange: 'deny' | 'resize'
  /** What happens to an object on which a rule failed: a fault in sluice. */
  readonly onFault: 'allow' | 'deny'
}

/** The settings of the webhook without a settings file. */
export const DEFAULT_ADMISSION: AdmissionSettings = {
  enforce: 'deny',
  strict: false,
  crossObject: 'warn',
  keyChange: 'deny',
  onFault: 'allow',
}

/** Severities by rule id. */
export type Severities = Readonly<Record<string, RuleSetting>>

/** Files that form one world, such as one cluster. */
export type WorldPaths = { readonly name: string; readonly paths: readonly string[] }

/** Severities that hold for some files alone. */
export type Override = { readonly files: readonly string[]; readonly rules: Severities }

/** The settings of a project: what the engine needs, and which settings apply to which files. */
export type ProjectSettings = {
  readonly settings: Settings
  readonly worlds: readonly WorldPaths[]
  readonly overrides: readonly Override[]
  /** Globs of files that are left out. */
  readonly ignores: readonly string[]
  /** For which reasons a lint fails where something is not judged. */
  readonly failOnUnjudged: readonly UnjudgedCode[]
  readonly admission: AdmissionSettings
}

/** What holds without a settings file. */
export const DEFAULT_PROJECT: ProjectSettings = {
  settings: DEFAULT_SETTINGS,
  worlds: [],
  overrides: [],
  ignores: [],
  failOnUnjudged: [],
  admission: DEFAULT_ADMISSION,
}
