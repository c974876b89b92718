/** The version of the manifests that a run compares with, and one kind of it: files and folders (`--old`). */
import { join, resolve, sep } from 'node:path'
import { type NamespaceHint, type Source, type TextSource, worldsOf } from '../project/source.ts'
import type { CollectSourcesOptions } from './discover/collect-sources.ts'
import { DISK } from './discover/file-tree.ts'
import { findFiles } from './discover/find-files.ts'
import { loadGlobs } from './discover/globs.ts'
import { createPathSettings } from './discover/path-settings.ts'
import { type FileObserver, readSources } from './discover/read-sources.ts'
import { shownPath } from './paths.ts'

/** The previous version of the manifests. */
export type Previous = {
  readonly sources: readonly Source[]
  /** What the user should know about it, a line each. */
  readonly notes: readonly string[]
}

/** A previous version, to be read once the current one has been. */
export type Comparison = {
  /** Must observe the reading of the current version. */
  readonly observer: FileObserver
  /** The current version must be read so, too. See {@link CollectSourcesOptions}. */
  readonly isAlone?: boolean
  /** Resolves to a problem where the previous version cannot be read. */
  read(current: readonly Source[]): Promise<Previous | ComparisonProblem>
}

/** Why there is nothing to compare with: one line that says what to do. */
export type ComparisonProblem = { readonly problem: string }

/** The options of the run, with the paths of the current version. */
export type ComparisonOptions = CollectSourcesOptions & {
  /** As on the command line. */
  readonly paths: readonly string[]
}

/** The paths other than the standard input; the current folder where there are none. */
export function pathsOnDisk(paths: readonly string[]): readonly string[] {
  const named = paths.filter((path) => path !== '-')
  return named.length === 0 ? ['.'] : named
}

/** Replaces a previous source by the current one where both are the same, so that its text is parsed only once. */
export function shareUnchanged(current: Iterable<Source>): (previous: TextSource) => TextSource {
  const byFile = new Map([...current].flatMap((source) => ('object' in source ? [] : [[source.file, source] as const])))
  return (previous) => {
    const now = byFile.get(previous.file)
    return now && now.text === previous.text && hasSameContext(now, previous) ? now : previous
  }
}

const hasSameContext = (a: TextSource, b: TextSource): boolean =>
  isSameList(worldsOf(a), worldsOf(b)) &&
  a.isPart === b.isPart &&
  buildsIn(a) === buildsIn(b) &&
  a.problem === undefined &&
  isSameHint(a.namespace, b.namespace)

/** A text that is the same for the same builds. */
const buildsIn = ({ builds = [] }: TextSource): string =>
  JSON.stringify(builds.map(({ folder, name, deployment }) => [folder, name, deployment]))

const isSameHint = (a: NamespaceHint | undefined, b: NamespaceHint | undefined): boolean =>
  a?.override === b?.override && a?.fallback === b?.fallback && a?.sharedBy === b?.sharedBy

const isSameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((entry, index) => entry === b[index])

/** Prepares the comparison with other files and folders. */
export function openOld(oldPaths: readonly string[], options: ComparisonOptions): Comparison | ComparisonProblem {
  const missing = oldPaths.find((path) => !DISK.exists(resolve(options.cwd, path)))
  if (missing !== undefined) return { problem: `--old ${missing}: no such file or folder` }
  return { observer: {}, isAlone: true, read: (current) => readOld(oldPaths, current, options) }
}

async function readOld(
  oldPaths: readonly string[],
  current: readonly Source[],
  options: ComparisonOptions,
): Promise<Previous> {
  const { cwd, folder, ignores, namespace, mentions, texts } = options
  const globs = await loadGlobs([...options.paths, ...oldPaths], options)
  const pathSettings = createPathSettings(options, globs)
  const matchesIgnores = globs.matchPaths(ignores, folder)
  const toCurrent = createPathMapper(oldPaths, options)
  const isExcluded = (path: string) => matchesIgnores(toCurrent(path))
  const found = findFiles(oldPaths, { cwd, tree: DISK, globs, isExcluded, isAlone: true })
  const files = found.files.map(({ path }) => ({ path, file: shownPath(toCurrent(path), cwd) }))
  const read = await readSources(
    { ...found, files },
    {
      cwd,
      namespace,
      mentions,
      ...(texts ? { texts } : {}),
      pathSettings: (path) => pathSettings(toCurrent(path)),
      nameOf: (path) => shownPath(toCurrent(path), cwd),
    },
  )
  const problems = [...found.problems, ...found.skipped, ...read.problems]
  const notes = problems.map(({ file, reason }) => `--old ${file}: ${reason}, so its objects count as new`)
  return { sources: read.sources.map(shareUnchanged(current)), notes }
}

/**
 * Maps an old path to the current path that corresponds to it, and so to the world that the settings give to it: the
 * same relative path below a judged folder. A path that is in none of the old folders is mapped to itself.
 */
function createPathMapper(oldPaths: readonly string[], { paths, cwd }: ComparisonOptions): (path: string) => string {
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
    const candidates = folders.map((folder) => join(folder, path.slice(root.length + 1)))
    return candidates.find(DISK.exists) ?? candidates[0] ?? path
  }
}

const isFolder = (path: string): boolean => DISK.stat(path).isDirectory()
