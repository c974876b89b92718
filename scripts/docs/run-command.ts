/** Runs a command line of sluice within this process. */
import { fileURLToPath } from 'node:url'
import { main } from '../../src/cli/core/main.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** The result of a command. */
export type Answer = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs a command line in the project's folder; with `columns` it writes to a terminal of that width. */
export async function runCommand(argv: readonly string[], columns?: number): Promise<Answer> {
  const written = { stdout: '', stderr: '' }
  const output = (stream: keyof typeof written) => ({
    write: (text: string) => {
      written[stream] += text
    },
    isTTY: columns !== undefined,
    isFile: false,
    columns,
  })
  const code = await main({
    argv,
    env: {},
    cwd: ROOT,
    stdin: [],
    stdout: output('stdout'),
    stderr: output('stderr'),
    now: () => 0,
    today: () => '2026-11-25',
    nodeVersion: process.versions.node,
  })
  return { code, ...written }
}
