/** A baseline on the disk. */
import { readFileSync, realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type KnownFinding, type NameFile, readBaseline, writeBaseline } from '../lint/baseline/baseline.ts'
import { createReach } from './discover/reach.ts'
import { STDIN } from './discover/stdin.ts'
import { shownPath } from './paths.ts'
import { codeOf, reasonOf } from './problem.ts'
import { writeFolder } from './write/folder.ts'

/** What stands in the file; `known` is undefined where there is no such file. */
export type StoredBaseline = { readonly known: readonly KnownFinding[] | undefined } | { readonly problem: string }

/** Reads a baseline. */
export function loadBaseline(file: string, cwd: string): StoredBaseline {
  try {
    const outcome = readBaseline(readFileSync(resolve(cwd, file), 'utf8'))
    return 'problem' in outcome ? { problem: `${file} ${outcome.problem}` } : outcome
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? { known: undefined } : { problem: `${file}: ${reasonOf(error)}` }
  }
}

/** Writes a baseline, whole or not at all; why it cannot be written, or undefined. A link stays one. */
export function storeBaseline(file: string, known: readonly KnownFinding[], cwd: string): string | undefined {
  try {
    const path = real(resolve(cwd, file))
    const written = writeFolder(dirname(path), [{ path: basename(path), text: writeBaseline(known) }], cwd)
    return 'problem' in written ? `${file}: ${written.problem.reason}` : undefined
  } catch (error) {
    return `${file}: ${reasonOf(error)}`
  }
}

/** Names a report's files as seen from the baseline's folder, so that it serves from every working directory. */
export function nameFrom(file: string, cwd: string): NameFile {
  const [here, folder] = [real(cwd), real(dirname(resolve(cwd, file)))]
  const known = new Map([[STDIN, STDIN]])
  return (name) => {
    const seen = known.get(name) ?? shownPath(resolve(here, name), folder)
    known.set(name, seen)
    return seen
  }
}

/** A test for files as a baseline names them: true for those that the paths of a run mean. */
export async function namesWithin(
  paths: readonly string[],
  file: string,
  cwd: string,
): Promise<(name: string) => boolean> {
  const [here, folder] = [real(cwd), real(dirname(resolve(cwd, file)))]
  const reach = await createReach(paths, here)
  return (name) => (name === STDIN ? paths.includes('-') : reach(resolve(folder, name)))
}

/** The path without links, as far as there is one. */
function real(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return path
    throw error
  }
}
