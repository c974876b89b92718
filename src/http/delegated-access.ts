/** Who may call an extension API server: what a server asks of whatever decides it. */
import type { IncomingMessage } from 'node:http'

/** A user as Kubernetes knows it. */
export type User = {
  readonly username: string
  readonly uid?: string
  readonly groups: readonly string[]
  readonly extra: Readonly<Record<string, readonly string[]>>
}

/** What a request wants to do. */
export type Attributes = {
  /** Such as `list`; for a path that names no resource, the method in lower case. */
  readonly verb: string
  readonly isResourceRequest: boolean
  /** API group, version and resource in the plural; empty for a path that names no resource. */
  readonly group: string
  readonly version: string
  readonly resource: string
  /** The name of the object, where the request is about one. */
  readonly name?: string
  readonly path: string
}

/** Decides. */
export type Access = {
  /** `rejected`: there are credentials, and they are wrong. Throws where it cannot be known now. */
  authenticate(request: IncomingMessage): Promise<User | 'anonymous' | 'rejected'>
  /** The reason is for whoever asks why it is refused; may be empty. Throws where it cannot be known now. */
  authorize(user: User, attributes: Attributes): Promise<{ readonly allowed: boolean; readonly reason: string }>
}

/** Whoever sends no credentials. */
export const ANONYMOUS: User = { username: 'system:anonymous', groups: ['system:unauthenticated'], extra: {} }
