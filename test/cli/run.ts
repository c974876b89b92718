/** Runs a command line within the test. */
import type { Io, Output } from '../../src/cli/core/io.ts'
import { main } from '../../src/cli/core/main.ts'

/** What a command line left behind. */
export type Outcome = { readonly code: number; readonly stdout: string; readonly stderr: string }

type Options = Partial<Pick<Io, 'cwd' | 'env' | 'nodeVersion' | 'now'>> & {
  readonly stdin?: string | Iterable<Uint8Array>
  /** Columns of the terminal; without it there is none. */
  readonly columns?: number
}

/** Runs `sluice` with arguments. */
export async function sluice(argv: readonly string[], options: Options = {}): Promise<Outcome> {
  const { columns, stdin = '', ...surroundings } = options
  const written = { stdout: '', stderr: '' }
  const output = (name: keyof typeof written): Output => ({
    isTTY: columns !== undefined,
    columns,
    write: (text) => {
      written[name] += text
    },
  })
  const code = await main({
    argv,
    env: {},
    cwd: '/',
    stdin: typeof stdin === 'string' ? [Buffer.from(stdin)] : stdin,
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: () => 84,
    nodeVersion: '24.0.0',
    ...surroundings,
  })
  return { code, ...written }
}
