/** The users that a test's API server knows. */

/** A user of the API server: what `--token-auth-file` says of them. */
export type User = { readonly name: string; readonly token: string; readonly groups: readonly string[] }

/** Who may do everything. */
export const ADMIN: User = { name: 'admin', token: 'token-of-admin', groups: ['system:masters'] }
/** Who may do what a test grants. */
export const ROBOT: User = { name: 'robot', token: 'token-of-robot', groups: ['robots'] }
