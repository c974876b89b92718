/** Makes sure that somebody can get in: the user `admin`. */
import { ADMINISTRATOR, type Store, type User, type UserLister } from '../../../store/store.ts'
import type { PasswordCheck } from './password-check.ts'
import { randomPassword } from './passwords.ts'

/** The first user. */
export const FIRST_ADMINISTRATOR = 'admin'

/** What was done. */
export type FirstAdministrator =
  | { readonly did: 'nothing' }
  /** Somebody must be told this password, which is good for nothing but to choose another one. */
  | { readonly did: 'one-time'; readonly password: string }
  /** The user has the given password now. */
  | { readonly did: 'given' }

/**
 * As long as no administrator has a password that is good for anything, gives the user `admin` this role and a password: the
 * given one, which meets the rules for passwords, or a new one-time password.
 */
export async function ensureAdministrator(
  store: Pick<Store, 'user' | 'users' | 'commit'>,
  passwords: PasswordCheck,
  given: string | undefined,
): Promise<FirstAdministrator> {
  if (await hasAdministrator(store)) return { did: 'nothing' }
  const before = await store.user(FIRST_ADMINISTRATOR)
  const put = async (password: string, mustChangePassword: boolean) => {
    const passwordHash = await passwords.hash(FIRST_ADMINISTRATOR, password)
    const roles = [...new Set([...(before?.roles ?? []), ADMINISTRATOR])].sort()
    const value: User = {
      ...{ name: FIRST_ADMINISTRATOR, roles, passwordHash, mustChangePassword },
      revision: (before?.revision ?? 0) + 1,
    }
    const author = { by: '', request: '', at: Date.now() }
    await store.commit([{ author }, { put: 'user', value, expected: before?.revision }])
  }
  if (given !== undefined) {
    await put(given, false)
    return { did: 'given' }
  }
  const password = randomPassword()
  await put(password, true)
  return { did: 'one-time', password }
}

const BATCH = 100

/** With a password of their own: a provider of sign-ins may be gone. */
const isAdministrator = ({ roles, mustChangePassword, passwordHash }: User): boolean =>
  roles.includes(ADMINISTRATOR) && !mustChangePassword && passwordHash !== ''

async function hasAdministrator(store: UserLister): Promise<boolean> {
  for (let after = ''; ; ) {
    const users = await store.users({ after, limit: BATCH })
    if (users.some(isAdministrator)) return true
    const last = users.at(-1)
    if (users.length < BATCH || !last) return false
    after = last.name
  }
}
