/** Who may call the management API: what the server asks of an authentication. */
import type { IncomingMessage } from 'node:http'

/** A user who is known. */
export type Principal = {
  /** The name of a user, `token:` with that of a token, or `jwt:` with the subject of one of others: no user has a colon there. */
  readonly name: string
  /** For a token of this server: its name, and the user who made it. */
  readonly token?: { readonly name: string; readonly maker: string }
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

/** Finds out who has a token. Throws {@link TokenError}; `HttpError` 503 where the keys cannot be had now. */
export type TokenCheck = (token: string) => Promise<Principal>

/** A token is not accepted. The message says why, without what is in it. */
export class TokenError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'TokenError'
  }
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

/**
 * What a user must be allowed to. `self`: administrators, and the user whom the path names; `own`: everybody who is known, for
 * what is theirs; `nothing`: anybody may.
 */
export type Need = 'read' | 'edit' | 'administer' | 'self' | 'own' | 'nothing'
