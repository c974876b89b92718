/** Writes one file that a user names: whole, or not at all. */
import { chmodSync, realpathSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf, type InputProblem, reasonOf } from '../problem.ts'

/**
 * Writes beside the place and renames, so that nobody sees half of a file and a failure leaves the old one. A link is
 * followed, and what is no file (`/dev/null`, a pipe) is written to, never replaced. Answers why it cannot be done;
 * `file` in it is `shown`.
 */
export function writeOutput(path: string, shown: string, text: string): InputProblem | undefined {
  try {
    const old = statsOf(path)
    if (old?.isDirectory()) return { file: shown, reason: 'a folder, where a file is expected' }
    if (old && !old.isFile()) writeFileSync(path, text)
    else replace(old ? realpathSync(path) : path, text, old)
    return undefined
  } catch (error) {
    const isFolderMissing = codeOf(error) === 'ENOENT'
    return { file: shown, reason: isFolderMissing ? 'its folder does not exist' : reasonOf(error) }
  }
}

function replace(path: string, text: string, old: Stats | undefined): void {
  const draft = join(dirname(path), `.sluice-${process.pid}`)
  try {
    writeFileSync(draft, text)
    if (old) chmodSync(draft, old.mode & 0o7777)
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
