/** GitHub's runner obeys what it reads in a job's log: what files say must not reach it as a command. */
import { escapeLogCommands } from '../../reports/escapes.ts'
import type { Io, Output } from './io.ts'

/** True within a job of GitHub Actions. */
export const isInActions = ({ env }: Pick<Io, 'env'>): boolean => env.GITHUB_ACTIONS === 'true'

/** What a guarded output guards. */
const GUARDED = new WeakMap<Output, Output>()

/** The same surroundings, with a standard error that commands nobody. */
export function guardLog(io: Io): Io {
  if (!isInActions(io)) return io
  const { stderr } = io
  const guarded: Output = {
    isTTY: stderr.isTTY,
    columns: stderr.columns,
    write: (text) => stderr.write(escapeLogCommands(text, 'text')),
  }
  GUARDED.set(guarded, stderr)
  return { ...io, stderr: guarded }
}

/** Writes commands that are meant, past the guard. */
export const writeCommands = (output: Output, commands: string): void => (GUARDED.get(output) ?? output).write(commands)
