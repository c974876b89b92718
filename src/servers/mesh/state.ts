/** What the server knows of the mesh as it runs, and where it keeps the configuration. */
import { isObject, type JsonObject } from '../../json/member.ts'

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

/** What a mesh was before it was cleared. */
export type Cleared = {
  /** When, as RFC 3339. */
  readonly at: string
  /** The name of the user. */
  readonly by: string
  /** The configuration until then. */
  readonly config: JsonObject
}

/** The configuration, with what it was before it was cleared while that can be taken back. */
export type KeptConfig = { readonly config: JsonObject; readonly cleared?: Cleared | undefined }

/** Where the configuration is kept. All reject with `HttpError` where it cannot be read or written. */
export type ConfigStore = {
  /** That of a new mesh where none is stored. */
  read(): Promise<JsonObject>
  /** The same with what was cleared, as it is stored at this moment. */
  readKept(): Promise<KeptConfig>
  /**
   * Stores what `change` makes of the configuration; it may be called several times, and what it throws ends the change.
   * Rejects with `HttpError` 409 where others keep changing the configuration. Nothing is written that changes nothing.
   */
  change(change: (kept: KeptConfig) => KeptConfig): Promise<ConfigChange>
}

/** The configuration before and after a change. */
export type ConfigChange = { readonly before: JsonObject; readonly after: JsonObject }

/** What was kept of a cleared mesh, as text or as JSON; undefined where it is none, as of a mesh that was never cleared. */
export function readCleared(text: string | undefined): Cleared | undefined {
  const value = parsed(text ?? '')
  if (!isObject(value)) return undefined
  const { at, by, config } = value
  return typeof at === 'string' && typeof by === 'string' && isObject(config) ? { at, by, config } : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
