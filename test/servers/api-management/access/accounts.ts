/** A server with users of each role, and the workspaces `team` and `others`. */
import { expect } from 'vitest'
import { createAccess } from '../../../../src/servers/api-management/access/authenticate.ts'
import { ensureAdministrator } from '../../../../src/servers/api-management/access/first-administrator.ts'
import { createMachineTokenCheck } from '../../../../src/servers/api-management/access/machine-tokens.ts'
import { createPasswordCheck } from '../../../../src/servers/api-management/access/password-check.ts'
import { createRefusals } from '../../../../src/servers/api-management/access/refusals.ts'
import { createSessions } from '../../../../src/servers/api-management/access/sessions.ts'
import { openSqliteStore } from '../../../../src/store/sqlite/sqlite-store.ts'
import { createFolder } from '../../../files/folder.ts'
import { CHEAP, serve } from '../served.ts'

/** The password of all of them. */
export const PASSWORD = 'correct horse battery'

export const basic = (user: string, password = PASSWORD) => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
})
export const ADMIN = basic('admin')

/** Users beside `admin`, with their roles. */
export const USERS: Readonly<Record<string, readonly string[]>> = {
  root: ['administrator'],
  reader: ['reader'],
  editor: ['editor:team'],
  outsider: ['editor:others'],
  nobody: [],
}

type Accounts = NonNullable<Parameters<typeof serve>[0]> & { readonly isEncrypted?: boolean }

export async function startAccounts({ isEncrypted = true, ends, ...options }: Accounts = {}) {
  const { store, database } = openSqliteStore(`${createFolder({}, ends)}/state.db`)
  const clock = { now: Date.UTC(2030, 0, 1) }
  const wallClock = () => clock.now
  const refusals = createRefusals({ store, wallClock })
  const passwords = createPasswordCheck({ store, now: wallClock, cost: CHEAP, refusals })
  await ensureAdministrator(store, passwords, PASSWORD)
  const sessions = createSessions({ store, isEncrypted, wallClock })
  const machineTokens = createMachineTokenCheck({ store, wallClock })
  const access = createAccess({ passwords, sessions, machineTokens, tokens: undefined, refusals })
  const server = serve({ ...{ store, passwords, sessions, access, wallClock }, ...(ends ? { ends } : {}), ...options })
  for (const name of ['team', 'others'])
    expect((await server.post('/services/workspaces', { name }, ADMIN)).status).toBe(201)
  for (const [name, roles] of Object.entries(USERS))
    expect((await server.post('/users', { name, password: PASSWORD, roles }, ADMIN)).status).toBe(201)
  return { ...server, store, database, clock, sessions, refusals }
}
