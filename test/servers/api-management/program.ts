/** The built program as the management API: started and ended. `npm test` builds it before. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { onTestFinished } from 'vitest'

const CLI = resolve('dist/cli.js')

type Line = Readonly<Record<string, unknown>>

/** A management API that runs. */
export type RunningApi = {
  readonly child: ChildProcessWithoutNullStreams
  /** Such as `http://127.0.0.1:8443`. */
  readonly url: string
  /** The log so far. */
  lines(): readonly Line[]
  said(): string
  readonly ended: Promise<number | null>
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
  const own = ['--port', '0', '--health-port', '0', '--admin-password-file', file]
  const child = spawn(process.execPath, [CLI, 'serve', 'api-management', ...own, ...flags], { cwd })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: Line[] = []
  let stderr = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const ended = new Promise<number | null>((done) => child.once('exit', done))
  const first = await new Promise<Line>((done, failed) => {
    createInterface(child.stdout).on('line', (line) => {
      lines.push(JSON.parse(line))
      if (lines[0]) done(lines[0])
    })
    void ended.then((code) => failed(new Error(`ended with ${code}: ${stderr}`)))
  })
  const url = `${first.scheme}://127.0.0.1:${first.port}${first.basePath}`
  return { child, url, lines: () => lines, said: () => stderr, ended }
}
