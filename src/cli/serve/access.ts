/** Who may call the management API: the user `admin`, the other users in the store, and whoever has a token. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { readSmallText } from '../../disk/read-regular-file.ts'
import type { Log } from '../../http/log.ts'
import type { Access } from '../../servers/api-management/access/access.ts'
import { createAccess } from '../../servers/api-management/access/authenticate.ts'
import { ensureAdministrator, FIRST_ADMINISTRATOR } from '../../servers/api-management/access/first-administrator.ts'
import { createMachineTokenCheck } from '../../servers/api-management/access/machine-tokens.ts'
import type { SignInProvider } from '../../servers/api-management/access/oidc.ts'
import { createPasswordCheck, type PasswordCheck } from '../../servers/api-management/access/password-check.ts'
import { passwordProblem } from '../../servers/api-management/access/passwords.ts'
import { createRefusals, type Refusals } from '../../servers/api-management/access/refusals.ts'
import { createSessions, type Sessions } from '../../servers/api-management/access/sessions.ts'
import type { Store } from '../../store/store.ts'
import { describeFileError } from '../../text/system-error.ts'
import type { Args } from '../core/flags.ts'
import { InputError, type Io } from '../core/io.ts'
import { type OidcFlag, openOidc } from './oidc.ts'
import { openTokens, type TokenFlag } from './tokens.ts'

type AccessContext = { readonly store: Store; readonly log: Log; readonly isEncrypted: boolean }

/** The authentication while the server runs. */
export type OpenAccess = {
  readonly access: Access
  readonly passwords: PasswordCheck
  readonly sessions: Sessions
  readonly refusals: Refusals
  readonly oidc: SignInProvider | undefined
  /** Says what was done and what to do, once the server listens. */
  announce(): void
  stop(): Promise<void>
}

/** Reads `--admin-password-file`, and sees to it that somebody can get in. Throws {@link InputError}. */
export async function openAccess(
  io: Io,
  args: Args<TokenFlag | OidcFlag | 'admin-password-file'>,
  context: AccessContext,
): Promise<OpenAccess> {
  const { store, log, isEncrypted } = context
  const file = args.value('admin-password-file')
  const path = file === undefined ? undefined : resolve(io.cwd, file)
  const given = path === undefined ? undefined : readPasswordFile(path)
  const tokens = openTokens(io, args, log)
  const refusals = createRefusals({ store, wallClock: Date.now })
  const passwords = createPasswordCheck({ store, now: () => io.now(), refusals })
  const sessions = createSessions({ store, isEncrypted, wallClock: Date.now })
  const first = await ensureAdministrator(store, passwords, given)
  return {
    access: createAccess({
      ...{ passwords, tokens: tokens.check, sessions, refusals },
      machineTokens: createMachineTokenCheck({ store, wallClock: Date.now }),
    }),
    passwords,
    sessions,
    refusals,
    oidc: openOidc(io, args, { log, isEncrypted, refusals }),
    announce() {
      if (first.did === 'given')
        log.info({ user: FIRST_ADMINISTRATOR, path }, 'the user has the password of the file now')
      if (first.did === 'one-time') io.stderr.write(adviceFor(first.password))
      if (path !== undefined && isReadableByOthers(path))
        log.warn({ path }, 'other users of this machine can read the password file: chmod 600 keeps them out')
    },
    async stop() {
      tokens.stop()
      await refusals.stop()
    },
  }
}

/** The first line of a file; a line break at its end does not belong to the password. */
function readPasswordFile(path: string): string {
  try {
    const password = readSmallText(path).replace(/\r?\n$/, '')
    const problem = passwordProblem(password, FIRST_ADMINISTRATOR)
    if (problem !== undefined) throw new InputError(`--admin-password-file ${path}: ${problem}`)
    return password
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`--admin-password-file ${path}: ${describeFileError(error)}`)
  }
}

/** True where the group, or everybody, may read a file. */
const isReadableByOthers = (path: string): boolean => (statSync(path).mode & 0o044) !== 0

const adviceFor = (password: string): string =>
  `sluice: the user ${FIRST_ADMINISTRATOR} has the one-time password ${password}
sluice: it is good for nothing but to choose another one: sign in on the page, or PUT /users/${FIRST_ADMINISTRATOR}/password
`
