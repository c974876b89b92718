/** Who may call the management API: what the server asks of an authentication. */
import type { IncomingMessage } from 'node:http'

/** A user who is known. */
export type Principal = {
  /** The name of a user, or `jwt:` with the subject of a token: no user has a colon in the name. */
  readonly name: string
  readonly isAdministrator: boolean
  /** True where the only thing that the user may do is to change the password. */
  readonly mustChangePassword: boolean
  /** The workspaces that may be read, in the order of their names; undefined for all. */
  readonly workspaces: readonly string[] | undefined
  /** Without a workspace: whether there is anything that may be read. */
  mayRead(workspace?: string): boolean
  mayEdit(workspace: string): boolean
}

/** Finds out who sends a request. */
export type Access = {
  /**
   * Throws `HttpError`: 401 for an unknown user, 403 for what another page made a browser send, 429 for one who must wait, 503
   * where it cannot be known now. `isUse` false: a session does not last longer by it.
   */
  authenticate(request: IncomingMessage, isUse: boolean): Promise<Principal>
}

/** The user where there is no authentication. */
export const ANYONE: Principal = {
  name: 'admin',
  isAdministrator: true,
  mustChangePassword: false,
  workspaces: undefined,
  mayRead: () => true,
  mayEdit: () => true,
}

/** What a user must be allowed to. `self`: administrators, and the user whom the path names; `nothing`: anybody may. */
export type Need = 'read' | 'edit' | 'administer' | 'self' | 'nothing'
