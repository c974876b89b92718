/** What the server knows of the mesh as it runs, and where it keeps the configuration. */
import type { JsonObject } from '../../json/member.ts'

/** What runs in the mesh. Each throws `HttpError` 503 while it is not known. */
export type MeshState = {
  /** The Services whose Pods carry the sidecar. */
  services(): readonly object[]
  /** The owners of injected Pods: namespace, lower-case kind, names. */
  resources(): Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>
  /** The versions of each component. */
  versions(): Readonly<Record<string, readonly string[]>>
}

/** Without a cluster nothing runs. */
export const NOTHING_RUNS: MeshState = { services: () => [], resources: () => ({}), versions: () => ({}) }

/** Where the configuration is kept. All reject with `HttpError` where it cannot be read or written. */
export type ConfigStore = {
  /** That of a new mesh where none is stored. */
  read(): Promise<JsonObject>
  /**
   * Stores what `change` makes of the configuration; it may be called several times, and what it throws ends the change.
   * Rejects with `HttpError` 409 where others keep changing the configuration. Nothing is written that changes nothing.
   */
  change(change: (config: JsonObject) => JsonObject): Promise<ConfigChange>
}

/** The configuration before and after a change. */
export type ConfigChange = { readonly before: JsonObject; readonly after: JsonObject }
