/** Roles: what each allows, and what each operation needs of them. */
import { HttpError } from '../../../http/http-error.ts'
import type { User } from '../../../store/store.ts'
import { isName } from '../openapi/schemas.ts'
import type { Need, Principal } from './access.ts'

const EDITOR = 'editor:'

/** True for a role: `administrator`, `reader` (of all workspaces), or `editor:` and a workspace, which it also reads. */
export const isRole = (text: string): boolean =>
  text === 'administrator' || text === 'reader' || (text.startsWith(EDITOR) && isName(text.slice(EDITOR.length)))

/** A user with roles. Other texts among them, such as the roles of another system in a token, allow nothing. */
export function principalOf(name: string, roles: readonly string[], mustChangePassword = false): Principal {
  const held = new Set(mustChangePassword ? [] : roles.filter(isRole))
  const isAdministrator = held.has('administrator')
  const readsAll = isAdministrator || held.has('reader')
  const edited = [...held].filter((role) => role.startsWith(EDITOR)).map((role) => role.slice(EDITOR.length))
  const mayEdit = (workspace: string) => isAdministrator || held.has(EDITOR + workspace)
  return {
    name,
    isAdministrator,
    mustChangePassword,
    workspaces: readsAll ? undefined : edited.sort(),
    mayEdit,
    mayRead: (workspace) => readsAll || (workspace === undefined ? held.size > 0 : mayEdit(workspace)),
  }
}

/** True where a user has all that a role allows, so that a token of theirs may have it. */
export const mayGrant = ({ isAdministrator, workspaces, mayEdit }: Principal, role: string): boolean => {
  if (role === 'administrator') return isAdministrator
  if (role === 'reader') return workspaces === undefined
  return role.startsWith(EDITOR) && mayEdit(role.slice(EDITOR.length))
}

/** A token of this server with what its maker may now: a role that the maker has lost is lost for the token. */
export function tokenPrincipal(
  token: { readonly name: string; readonly roles: readonly string[] },
  maker: User,
): Principal {
  const ofMaker = principalOf(maker.name, maker.roles, maker.mustChangePassword)
  const roles = token.roles.filter((role) => mayGrant(ofMaker, role))
  return { ...principalOf(`token:${token.name}`, roles), token: { name: token.name, maker: maker.name } }
}

/** What the path of a request names. */
export type Target = { readonly workspace?: string | undefined; readonly user?: string | undefined }

/** Who may do what. `missing` says whom the operation is for. */
const NEEDS: Readonly<
  Record<
    Need,
    {
      isMet(principal: Principal, target: Target): boolean
      missing(target: Target): string
    }
  >
> = {
  read: {
    isMet: (principal, { workspace }) => principal.mayRead(workspace),
    missing: ({ workspace }) => `the role reader${workspace === undefined ? '' : ` or editor:${workspace}`} is missing`,
  },
  edit: {
    isMet: (principal, { workspace }) => workspace !== undefined && principal.mayEdit(workspace),
    missing: ({ workspace = 'WORKSPACE' }) => `the role editor:${workspace} is missing`,
  },
  administer: {
    isMet: ({ isAdministrator }) => isAdministrator,
    missing: () => 'the role administrator is missing',
  },
  nothing: { isMet: () => true, missing: () => '' },
  own: { isMet: ({ mustChangePassword }) => !mustChangePassword, missing: () => '' },
  self: {
    isMet: ({ isAdministrator, name }, { user }) => isAdministrator || name === user,
    missing: () => 'the role administrator is missing, which other users are managed with',
  },
}

/** What an operation asks of who calls it; `ofPeople`: no token of this server may. */
type Asked = { readonly needs: Need; readonly ofPeople?: boolean }

/** Checks that a user may do something. Throws 403, which names what is missing. */
export function authorize({ needs: need, ofPeople = false }: Asked, principal: Principal, target: Target): void {
  if (ofPeople && principal.token)
    throw new HttpError(403, 'a token may not do this: tokens, users and passwords are managed by people')
  if (NEEDS[need].isMet(principal, target)) return
  if (principal.mustChangePassword)
    throw new HttpError(403, `change your password first: PUT /users/${principal.name}/password`)
  // A path is whatever the client sent.
  const workspace = target.workspace !== undefined && isName(target.workspace) ? target.workspace : undefined
  throw new HttpError(403, NEEDS[need].missing({ ...target, workspace }))
}
