/** Runs a command line within the test. */
import type { Io, Output } from '../../src/cli/core/io.ts'
import { main } from '../../src/cli/core/main.ts'

/** What a command line left behind. */
export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

export type IoOptions = Partial<Pick<Io, 'cwd' | 'env' | 'nodeVersion' | 'now' | 'today'>> & {
  readonly stdin?: string | Iterable<Uint8Array>
  /** Columns of the terminal; without it there is none. */
  readonly columns?: number
}

/** The process of a command within the test; `written` is what the command has written so far. */
export function createIo(argv: readonly string[], options: IoOptions = {}) {
  const { columns, stdin = '', ...context } = options
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written): Output => ({
    isTTY: columns !== undefined,
    isFile: false,
    columns,
    write: (text) => {
      written[name] += text
    },
  })
  const io: Io = {
    argv,
    env: {},
    cwd: '/',
    stdin: typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin,
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: () => 84,
    today: () => '2026-11-25',
    nodeVersion: '24.0.0',
    ...context,
  }
  return { io, written }
}

/** Runs `sluice` with arguments. */
export async function sluice(argv: readonly string[], options: IoOptions = {}): Promise<Outcome> {
  const { io, written } = createIo(argv, options)
  return { code: await main(io), ...written }
}
