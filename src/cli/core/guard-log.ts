/**
 * The runner of GitHub Actions executes commands that it finds in a job's log. Text from files must not reach it as such.
 */
import { escapeLogCommands } from '../../reports/escapes.ts'
import type { Io, Output } from './io.ts'

/** True in a job of GitHub Actions. */
export const isInActions = ({ env }: Pick<Io, 'env'>): boolean => env.GITHUB_ACTIONS === 'true'

/** The output behind each guarded one. */
const UNGUARDED = new WeakMap<Output, Output>()

/** The same, in a job with a standard error in which commands are escaped. */
export function guardLog(io: Io): Io {
  if (!isInActions(io)) return io
  const { stderr } = io
  const guarded: Output = {
    isTTY: stderr.isTTY,
    columns: stderr.columns,
    write: (text) => stderr.write(escapeLogCommands(text, 'text')),
  }
  UNGUARDED.set(guarded, stderr)
  return { ...io, stderr: guarded }
}

/** Writes commands of our own, past the guard. */
export const writeCommands = (output: Output, commands: string): void =>
  (UNGUARDED.get(output) ?? output).write(commands)
