/** The built program as the management API: started and ended. `npm test` builds it before. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Serving } from '../../serving.ts'
import { startProgram } from '../program.ts'

/** A management API that runs. */
export type RunningApi = Omit<Serving, 'lines'> & {
  /** Such as `http://127.0.0.1:8443`. */
  readonly url: string
  /** The log so far. */
  lines(): Serving['lines']
}

const ADMIN_PASSWORD = 'a password for tests'

/** The header of its administrator. */
export const AUTHORIZATION = { authorization: `Basic ${Buffer.from(`admin:${ADMIN_PASSWORD}`).toString('base64')}` }

/** `fetch` as its administrator. */
export const fetchAsAdmin = (url: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}) =>
  fetch(url, { ...init, headers: { ...AUTHORIZATION, ...init.headers } })

/** Starts it on a free port; it is killed after the test. */
export async function startApiManagement(flags: readonly string[], cwd: string): Promise<RunningApi> {
  const file = join(cwd, 'admin-password')
  writeFileSync(file, ADMIN_PASSWORD, { mode: 0o600 })
  const program = await startProgram(['api-management', '--admin-password-file', file, ...flags], cwd)
  const { first, lines } = program
  return { ...program, url: `${first.scheme}://127.0.0.1:${first.port}${first.basePath}`, lines: () => lines }
}
