/** The manifests of other files and folders, taken for an earlier version of those that are judged. */
import { join, resolve, sep } from 'node:path'
import type { Source } from '../project/source.ts'
import { collectFiles } from './discover/collect.ts'
import { loadGlobs } from './discover/load-globs.ts'
import { createSurroundings } from './discover/path-settings.ts'
import { readSources } from './discover/sources.ts'
import { DISK } from './discover/tree.ts'
import { shownPath } from './paths.ts'
import {
  type Comparison,
  type ComparisonOptions,
  type Previous,
  pathsOnDisk,
  type Refusal,
  shareWith,
} from './previous.ts'

/** Prepares the comparison with paths. */
export function openOld(oldPaths: readonly string[], options: ComparisonOptions): Comparison | Refusal {
  const missing = oldPaths.find((path) => !DISK.exists(resolve(options.cwd, path)))
  if (missing !== undefined) return { problem: `--old ${missing}: no such file or folder` }
  return { watch: {}, read: (today) => readOld(oldPaths, today, options) }
}

async function readOld(
  oldPaths: readonly string[],
  today: readonly Source[],
  options: ComparisonOptions,
): Promise<Previous> {
  const { cwd, folder, ignores, namespace } = options
  const globs = await loadGlobs([...options.paths, ...oldPaths], options)
  const surroundings = createSurroundings(options, globs)
  const isLeftOut = globs.matchPaths(ignores, folder)
  const placeToday = createPlacer(oldPaths, options)
  const collecting = { cwd, tree: DISK, globs, isLeftOut: (path: string) => isLeftOut(placeToday(path)) }
  const found = collectFiles(oldPaths, collecting)
  const files = found.files.map(({ path }) => ({ path, file: shownPath(placeToday(path), cwd) }))
  const read = readSources(
    { files, kustomizations: found.kustomizations },
    { namespace, surroundings: (path) => surroundings(placeToday(path)) },
  )
  const problems = [...found.problems, ...read.problems]
  const notes = problems.map(({ file, reason }) => `--old ${file}: ${reason}, so its objects count as new`)
  return { sources: read.sources.map(shareWith(today)), notes }
}

/**
 * Finds the place of today that belongs to an old path, and with it the world that the settings give to it: the same
 * place below a folder that is judged. A path that is in no old folder keeps its own.
 */
function createPlacer(oldPaths: readonly string[], { paths, cwd }: ComparisonOptions): (path: string) => string {
  const roots = oldPaths.map((path) => resolve(cwd, path)).map((path) => (DISK.exists(path) ? DISK.real(path) : path))
  const targets = [
    ...pathsOnDisk(paths)
      .map((path) => resolve(cwd, path))
      .filter(DISK.exists),
    cwd,
  ]
  const [folders, files] = [targets.filter(isFolder), targets.filter((path) => !isFolder(path))]
  return (path) => {
    const root = roots.find((candidate) => path === candidate || path.startsWith(candidate + sep))
    if (root === undefined) return path
    if (path === root && !isFolder(path)) return files.length === 1 ? (files[0] ?? path) : path
    const places = folders.map((folder) => join(folder, path.slice(root.length + 1)))
    return places.find(DISK.exists) ?? places[0] ?? path
  }
}

const isFolder = (path: string): boolean => DISK.stat(path).isDirectory()
