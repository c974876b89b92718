/** The paths of a command line to the files that they mean. */
import { basename, dirname, join, resolve } from 'node:path'
import { CHART_FILE, chartOfTemplate, isValuesFile } from '../helm/charts.ts'
import { foldersAbove, shownPath, withSlashes } from '../paths.ts'
import { codeOf, reasonOf } from '../problem.ts'
import { layerAbove, topOf } from './git-ignore.ts'
import type { Glob, Globs, PathTest } from './patterns.ts'
import type { Standing, Tree } from './tree.ts'
import { type Found, type FoundFile, nothingFound, specialFile, walk } from './walk.ts'

export type CollectOptions = {
  readonly cwd: string
  readonly tree: Tree
  /** Left out when walking; what is named is read all the same. */
  readonly isLeftOut: PathTest
  readonly globs: Globs
}

/** Finds the files that paths, folders and globs mean, each real file once. */
export function collectFiles(paths: readonly string[], options: CollectOptions): Found {
  const found = nothingFound()
  for (const path of paths) collectPath(path, options, found)
  const files = unique(found, options.tree)
  const problems = [...new Map(found.problems.map((problem) => [JSON.stringify(problem), problem])).values()]
  return { ...found, files, problems, kustomizations: [...new Set(found.kustomizations)] }
}

function collectPath(argument: string, options: CollectOptions, found: Found): void {
  const path = resolve(options.cwd, argument)
  const stats = statOf(path, options.tree)
  if (typeof stats !== 'string') {
    collectExisting(path, stats, options, found)
    return
  }
  const glob = stats === NOT_THERE ? options.globs.readGlob(argument, options.cwd) : undefined
  if (glob && collectGlob(glob, options, found)) return
  const reason = glob ? 'nothing that is judged matches' : reasonOfAbsence(path, stats, options.tree)
  found.problems.push({ file: withSlashes(argument), reason })
}

function collectExisting(path: string, stats: Standing, options: CollectOptions, found: Found): void {
  const file = shownPath(path, options.cwd)
  if (stats.isDirectory()) collectFolder({ path: options.tree.real(path), file }, options, found)
  else if (stats.isFile()) collectFile(path, file, options, found)
  else found.problems.push({ file, reason: specialFile(stats) })
}

function collectFile(path: string, file: string, options: CollectOptions, found: Found): void {
  const { tree } = options
  const folder = tree.real(dirname(path))
  const named = { path: join(folder, basename(path)), file }
  const top = topOf(folder, tree)
  if (isOfChart(named.path, top, options, found)) return
  found.kustomizations.push(...foldersAbove(named.path, top))
  if (tree.isLink(path)) found.links.push(named)
  else found.files.push(named)
}

function collectFolder(folder: FoundFile, options: CollectOptions, found: Found, isWanted?: PathTest): void {
  const { isLeftOut, cwd, tree } = options
  const top = topOf(folder.path, tree)
  if (isOfChart(folder.path, top, options, found)) return
  found.kustomizations.push(...foldersAbove(folder.path, top))
  const layer = layerAbove(folder.path, tree)
  walk({ ...folder, layer }, { cwd, tree, isLeftOut, ...(isWanted ? { isWanted } : {}) }, found)
}

/** True for templates and values of a chart, which are noted and not read. */
function isOfChart(path: string, top: string, { cwd, tree }: CollectOptions, found: Found): boolean {
  const chart = chartOfTemplate(path, top, tree)
  if (chart !== undefined) found.charts.set(chart, shownPath(chart, cwd))
  return chart !== undefined || (isValuesFile(basename(path)) && tree.exists(join(dirname(path), CHART_FILE)))
}

/** True where the glob matches something. */
function collectGlob(glob: Glob, options: CollectOptions, found: Found): boolean {
  if (typeof statOf(glob.folder, options.tree) === 'string') return false
  const before = sizeOf(found)
  const folder = { path: options.tree.real(glob.folder), file: shownPath(glob.folder, options.cwd) }
  collectFolder(folder, options, found, glob.matches)
  return sizeOf(found) > before
}

const sizeOf = ({ files, links, problems, charts }: Found): number =>
  files.length + links.length + problems.length + charts.size

const NOT_THERE = 'no such file or folder'

/** What a path leads to, or why that cannot be said. */
function statOf(path: string, tree: Tree): Standing | string {
  try {
    return tree.stat(path)
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? NOT_THERE : reasonOf(error)
  }
}

const reasonOfAbsence = (path: string, reason: string, tree: Tree): string =>
  reason === NOT_THERE && tree.isLink(path) ? 'a symbolic link that leads nowhere' : reason

/** Each real file once; a link to a file that was found is that file. */
function unique({ files, links, problems }: Found, tree: Tree): FoundFile[] {
  const byPath = new Map<string, FoundFile>()
  for (const file of files) if (!byPath.has(file.path)) byPath.set(file.path, file)
  for (const link of links) {
    const stats = statOf(link.path, tree)
    if (typeof stats === 'string') problems.push({ file: link.file, reason: reasonOfAbsence(link.path, stats, tree) })
    else if (stats.isFile()) {
      const real = tree.real(link.path)
      if (!byPath.has(real)) byPath.set(real, link)
    } else if (!stats.isDirectory()) problems.push({ file: link.file, reason: specialFile(stats) })
  }
  return [...byPath.values()]
}
