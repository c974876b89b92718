/** The file of a baseline. */
import { realpathSync } from 'node:fs'
import { basename, dirname, resolve, sep } from 'node:path'
import { type KnownFinding, type NameFile, readBaseline, writeBaseline } from '../lint/baseline/baseline.ts'
import { DISK } from './discover/file-tree.ts'
import { loadGlobs } from './discover/globs.ts'
import { STDIN } from './discover/stdin.ts'
import { describeSystemError, systemErrorCode } from './input-problem.ts'
import { type PathTest, shownPath } from './paths.ts'
import { writeFolder } from './write/new-files.ts'
import { checkWithinTree } from './write/within-tree.ts'

/** What the file holds; `known` is undefined where there is no such file. */
export type StoredBaseline =
  | { readonly known: readonly KnownFinding[] | undefined; readonly text?: string }
  | { readonly problem: string }

/** Reads a baseline. The problem is one line that names the file. */
export function loadBaseline(file: string, cwd: string): StoredBaseline {
  try {
    const text = Buffer.from(DISK.read(resolve(cwd, file))).toString('utf8')
    const outcome = readBaseline(text)
    return 'problem' in outcome ? { problem: `${file} ${outcome.problem}` } : { ...outcome, text }
  } catch (error) {
    return systemErrorCode(error) === 'ENOENT'
      ? { known: undefined }
      : { problem: `${file}: ${describeSystemError(error)}` }
  }
}

/** Writes a baseline, whole or not at all; a link is followed. Returns why it cannot be written, or undefined. */
export function storeBaseline(file: string, known: readonly KnownFinding[], cwd: string): string | undefined {
  try {
    checkWithinTree(resolve(cwd, file), { cwd })
    const path = realPath(resolve(cwd, file))
    const written = writeFolder(dirname(path), [{ path: basename(path), text: writeBaseline(known) }], cwd)
    return 'problem' in written ? `${file}: ${written.problem.reason}` : undefined
  } catch (error) {
    return `${file}: ${describeSystemError(error)}`
  }
}

/** Names a report's files relative to the baseline's folder, so that a baseline works from every working directory. */
export function nameFrom(file: string, cwd: string): NameFile {
  const [base, folder] = [realPath(cwd), realPath(dirname(resolve(cwd, file)))]
  const known = new Map([[STDIN, STDIN]])
  return (name) => {
    const relative = known.get(name) ?? shownPath(resolve(base, name), folder)
    known.set(name, relative)
    return relative
  }
}

/** A test for file names of a baseline: true for those that the paths of a run mean. */
export async function namesWithin(
  paths: readonly string[],
  file: string,
  cwd: string,
): Promise<(name: string) => boolean> {
  const folder = realPath(dirname(resolve(cwd, file)))
  const isMeant = await createPathTest(paths, realPath(cwd))
  return (name) => (name === STDIN ? paths.includes('-') : isMeant(resolve(folder, name)))
}

const NO_SETTINGS = { worlds: [], overrides: [], ignores: [] }

/** True for paths that are named, are below a named folder, or match a glob. They need not exist any more. */
async function createPathTest(paths: readonly string[], cwd: string): Promise<PathTest> {
  const globs = await loadGlobs(paths, NO_SETTINGS)
  const tests = (paths.length === 0 ? ['.'] : paths).map((argument): PathTest => {
    const named = resolve(cwd, argument)
    const glob = DISK.exists(named) ? undefined : globs.readGlob(argument, cwd)
    if (glob) return glob.matches
    const below = named.endsWith(sep) ? named : named + sep
    return (path) => path === named || path.startsWith(below)
  })
  return (path) => tests.some((test) => test(path))
}

/** The path with every link in it followed; the path itself where nothing is there yet. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return path
    throw error
  }
}
