/** What `sluice doctor` judges: objects and answers as they were read, from a cluster or from files. */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import type { ProjectSettings } from '../settings/settings.ts'

/** What is known of something; the reason is the end of a sentence. */
export type Known<Value> =
  | { readonly state: 'found'; readonly value: Value }
  | { readonly state: 'absent' }
  | { readonly state: 'unknown'; readonly reason: string }

export const found = <Value>(value: Value): Known<Value> => ({ state: 'found', value })
export const ABSENT = { state: 'absent' } as const
export const unknownBecause = (reason: string) => ({ state: 'unknown', reason }) as const

/** A dry-run request of a policy, and what came of it. */
export type Trial = {
  /** The namespace in which it was tried. */
  readonly namespace: string
  /** HTTP status of the response. */
  readonly status: number
  /** The message of a `Status`; empty for an object. */
  readonly message: string
  /** The texts of the warnings in the response. */
  readonly warnings: readonly string[]
  /** The object as it would be stored; of a `Status`, that. */
  readonly body: JsonObject
}

/** What only a cluster has. */
export type ClusterAnswers = {
  /** `gitVersion` of the API server: `v1.36.3`. */
  readonly version: string
  /** Milliseconds by which the clock of the API server is ahead of the one here. */
  readonly skew: number
  /** Which of the objects that the doctor reads its caller may read. */
  readonly ownRights: Known<readonly Right[]>
  /** By the id of the server: what its service account may do. */
  readonly rights: Readonly<Record<string, Known<readonly Right[]>>>
  readonly trials: Readonly<Record<TrialName, Known<Trial>>>
  /** The policies that are rejected because of another one: `shop/coffee: Conflicts with …`. */
  readonly conflicts: Known<readonly string[]>
}

/** The dry-run requests: a policy that must be refused, one with nothing wrong, and one that is fixed. */
export type TrialName = 'refused' | 'admitted' | 'fixed'

/** One right: the attributes of an access review. */
export type Need = {
  readonly verb: string
  readonly group: string
  /** `pods`, or `pods/status`. */
  readonly resource: string
  /** Undefined for any. */
  readonly name?: string
  /** Undefined in the whole cluster. */
  readonly namespace?: string
}

/** A right, and whether it is granted. */
export type Right = { readonly need: Need; readonly isAllowed: boolean }

/** Where an object is. */
export type ObjectPlace = { readonly kind: string; readonly name: string; readonly namespace?: string | undefined }

/** Everything that the checks judge. */
export type Evidence = {
  readonly place: 'cluster' | 'files'
  /** The version of this program. */
  readonly sluice: string
  readonly names: ApiNames
  /** The settings of the run: those of the file here. */
  readonly project: ProjectSettings
  /** The namespace of the installation. */
  readonly namespace: string
  /** Milliseconds since 1970, by the clock of the API server where there is one. */
  readonly now: number
  /** The version of the nginx on this machine: `1.31.3`. */
  readonly localNginx: Known<string>
  /** The texts of settings, by what they are called: that of the installation, and those of files. */
  readonly settingsTexts: readonly { readonly where: string; readonly text: string }[]
  /** The certificates (PEM) that the servers present, by the name of the Service. */
  readonly certificates: Readonly<Record<string, Known<string>>>
  readonly cluster: ClusterAnswers | undefined
  get(place: ObjectPlace): Known<JsonObject>
  list(kind: string): Known<readonly JsonObject[]>
}

/** The object at a path of members; an empty one where there is none. */
export function objectAt(value: unknown, ...path: readonly string[]): JsonObject {
  const inner = valueAt(value, ...path)
  return isObject(inner) ? inner : {}
}

/** The list at a path of members; an empty one where there is none. */
export function listAt(value: unknown, ...path: readonly string[]): readonly Json[] {
  const inner = valueAt(value, ...path)
  return Array.isArray(inner) ? inner : []
}

/** The text at a path of members; an empty one where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const inner = valueAt(value, ...path)
  return typeof inner === 'string' ? inner : ''
}

/** The number at a path of members; undefined where there is none. */
export function numberAt(value: unknown, ...path: readonly string[]): number | undefined {
  const inner = valueAt(value, ...path)
  return typeof inner === 'number' ? inner : undefined
}

const valueAt = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce((inner, name) => (isObject(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined), value)

/** The texts among the items of a list. */
export const textsAt = (value: unknown, ...path: readonly string[]): readonly string[] =>
  listAt(value, ...path).filter((item) => typeof item === 'string')

/** The name of an object. */
export const nameOf = (object: unknown): string => textAt(object, 'metadata', 'name')
