/** The paths of a command line to the files that they mean. Opens none of the files. */
import { basename, dirname, join, resolve, sep } from 'node:path'
import { KUSTOMIZATION_FILES } from '../../kustomize/kustomization.ts'
import { compareText } from '../../text/order.ts'
import { CHART_FILE, chartOfTemplate, isValuesFile, TEMPLATES, templatesOf } from '../helm/charts.ts'
import type { InputProblem } from '../input-problem.ts'
import { foldersAbove, type PathTest, shownChild, shownPath, withSlashes } from '../paths.ts'
import type { FileStats, FileTree, FolderEntry } from './file-tree.ts'
import { type FolderMarks, mayHaveObjects, readMarks } from './folder-marks.ts'
import {
  enterFolder,
  type IgnoreLayer,
  type IgnoreReading,
  isIgnored,
  layerAbove,
  repositoryOf,
  topOf,
} from './git-ignore.ts'
import type { Globs } from './globs.ts'
import type { Glob } from './picomatch-globs.ts'
import { describeUnopened } from './unopened.ts'

/** A file to read. */
export type FoundFile = {
  /** Absolute; no folder in it is a link. */
  readonly path: string
  /** As the report names it. */
  readonly file: string
  /** True for a file that was named, not found in a folder. */
  readonly isNamed?: boolean
}

/** What was found. */
export type FoundFiles = {
  readonly files: readonly FoundFile[]
  /** Folders that hold a kustomization, or may hold one as they are above what was named. */
  readonly kustomizations: readonly string[]
  /** Folders elsewhere in the repository that hold a kustomization: it may build on one of those. */
  readonly otherKustomizations: readonly string[]
  /** Charts whose templates were passed over: absolute path and how it is shown. */
  readonly charts: ReadonlyMap<string, string>
  readonly problems: readonly InputProblem[]
  /** What was found in a folder and cannot be a manifest: links that lead nowhere, pipes. */
  readonly skipped: readonly InputProblem[]
  /** Files of Git with patterns that are not applied, as matching them would take very long. */
  readonly slowPatterns: readonly SlowPattern[]
}

type SlowPattern = InputProblem & { readonly line: number }

/** What a search collects, until links are followed and duplicates dropped. */
type Search = {
  readonly files: FoundFile[]
  /** Links. Whether they lead to a file that is found anyway is known once all files are. */
  readonly links: FoundFile[]
  readonly kustomizations: string[]
  /** Folders that were walked with all that is below them. */
  readonly walked: Set<string>
  readonly charts: Map<string, string>
  readonly problems: InputProblem[]
  readonly skipped: InputProblem[]
  /** By path: a file counts for each folder that is named. */
  readonly slowPatterns: Map<string, SlowPattern>
}

/** Why a file or a folder is left out. */
export type LeftOutReason =
  | 'hidden'
  | 'node_modules'
  | 'excluded'
  | 'git-ignored'
  | 'chart-template'
  | 'chart-values'
  | 'no-objects'
  | 'not-named'

/** Called for what is left out: its absolute path, how it is shown, and why. */
export type LeftOut = (path: string, file: string, reason: LeftOutReason) => void

/** Where files are looked for, and which of them are left out. */
export type FindFilesOptions = {
  readonly onLeftOut?: LeftOut | undefined
  /** Is called with the absolute path of each folder in which files are looked for, before it is read. */
  readonly onFolder?: ((path: string) => void) | undefined
  readonly cwd: string
  readonly tree: FileTree
  /** Left out of folders, beside what Git ignores. What is named by itself is read all the same. */
  readonly isExcluded: PathTest
  readonly globs: Globs
  /** Does not look for kustomizations elsewhere. Default: false. */
  readonly isAlone?: boolean | undefined
}

/** Finds the files that paths, folders and globs mean, each real file once. Does not throw for what it finds there. */
export function findFiles(paths: readonly string[], options: FindFilesOptions): FoundFiles {
  const search = emptySearch()
  for (const path of paths) findPath(path, options, search)
  const files = unique(search, options.tree)
  const problems = [...new Map(search.problems.map((problem) => [JSON.stringify(problem), problem])).values()]
  const kustomizations = [...new Set(search.kustomizations)]
  const otherKustomizations = options.isAlone ? [] : findOthers(kustomizations, search.walked, options)
  const slowPatterns = [...search.slowPatterns.values()]
  return { ...search, files, kustomizations, otherKustomizations, problems, slowPatterns }
}

const emptySearch = (): Search => ({
  files: [],
  links: [],
  kustomizations: [],
  walked: new Set(),
  charts: new Map(),
  problems: [],
  skipped: [],
  slowPatterns: new Map(),
})

/** All other kustomizations of the repositories in which some were found. */
function findOthers(
  kustomizations: readonly string[],
  walked: ReadonlySet<string>,
  { cwd, tree, isExcluded, globs }: FindFilesOptions,
): readonly string[] {
  const holding = kustomizations.filter((folder) => KUSTOMIZATION_FILES.some((name) => tree.exists(join(folder, name))))
  const tops = new Set(holding.flatMap((folder) => repositoryOf(folder, tree) ?? []))
  const search = emptySearch()
  for (const path of tops)
    if (!walked.has(path))
      findFolder({ path, file: shownPath(path, cwd) }, { cwd, tree, isExcluded, globs }, search, () => false)
  const known = new Set(kustomizations)
  return search.kustomizations.filter((folder) => !known.has(folder))
}

function findPath(argument: string, options: FindFilesOptions, search: Search): void {
  const path = resolve(options.cwd, argument)
  const stats = statOf(path, options.tree)
  if (typeof stats !== 'string') {
    findExisting(path, stats, options, search)
    return
  }
  const glob = stats === NOT_THERE ? options.globs.readGlob(argument, options.cwd) : undefined
  if (glob && findGlob(glob, options, search)) return
  const reason = glob ? 'no file to check matches this pattern' : reasonOfAbsence(path, stats, options.tree)
  search.problems.push({ file: withSlashes(argument), reason })
}

function findExisting(path: string, stats: FileStats, options: FindFilesOptions, search: Search): void {
  const file = shownPath(path, options.cwd)
  if (stats.isDirectory()) findFolder({ path: options.tree.real(path), file }, options, search)
  else if (stats.isFile()) findFile(path, file, options, search)
  else search.problems.push({ file, reason: specialFile(stats) })
}

function findFile(path: string, file: string, options: FindFilesOptions, search: Search): void {
  const { tree } = options
  const folder = tree.real(dirname(path))
  const named = { path: join(folder, basename(path)), file, isNamed: true }
  const top = topOf(folder, tree)
  if (isOfChart(named.path, top, options, search)) return
  options.onFolder?.(folder)
  search.kustomizations.push(...foldersAbove(named.path, top))
  if (tree.isLink(path)) search.links.push(named)
  else search.files.push(named)
}

function findFolder(folder: FoundFile, options: FindFilesOptions, search: Search, isIncluded?: PathTest): void {
  const { tree } = options
  const top = topOf(folder.path, tree)
  if (isOfChart(folder.path, top, options, search)) return
  search.kustomizations.push(...foldersAbove(folder.path, top))
  search.walked.add(folder.path)
  const run = { options, isIncluded, search }
  walk({ ...folder, layer: layerAbove(folder.path, readingOf(run)) }, run)
}

/** True where the glob matches something. */
function findGlob(glob: Glob, options: FindFilesOptions, search: Search): boolean {
  if (typeof statOf(glob.folder, options.tree) === 'string') return false
  const before = sizeOf(search)
  const folder = { path: options.tree.real(glob.folder), file: shownPath(glob.folder, options.cwd) }
  findFolder(folder, options, search, glob.matches)
  return sizeOf(search) > before
}

const sizeOf = ({ files, links, problems, skipped, charts }: Search): number =>
  files.length + links.length + problems.length + skipped.length + charts.size

/** True for templates and values of a chart, which are recorded and not read. */
function isOfChart(path: string, top: string, { cwd, tree, onLeftOut }: FindFilesOptions, search: Search): boolean {
  const chart = chartOfTemplate(path, top, tree)
  if (chart !== undefined) search.charts.set(chart, shownPath(chart, cwd))
  const isOut = chart !== undefined || (isValuesFile(basename(path)) && tree.exists(join(dirname(path), CHART_FILE)))
  if (isOut) onLeftOut?.(path, shownPath(path, cwd), chart === undefined ? 'chart-values' : 'chart-template')
  return isOut
}

/** As {@link describeUnopened} says it. */
const NOT_THERE = 'no such file or folder'

/** What is at a path, links followed; or the reason why that is not known. */
function statOf(path: string, tree: FileTree): FileStats | string {
  try {
    return tree.stat(path)
  } catch (error) {
    return describeUnopened(error, path, tree)
  }
}

const reasonOfAbsence = (path: string, reason: string, tree: FileTree): string =>
  reason === NOT_THERE && tree.isLink(path) ? 'a symbolic link that leads nowhere' : reason

/** Each real file once; a link to a file that was found is that file. */
function unique({ files, links, problems, skipped }: Search, tree: FileTree): readonly FoundFile[] {
  const byPath = new Map<string, FoundFile>()
  const named = new Set(files.flatMap(({ path, isNamed }) => (isNamed ? [path] : [])))
  for (const file of files) byPath.set(file.path, named.has(file.path) ? { ...file, isNamed: true } : file)
  for (const link of links) {
    const stats = statOf(link.path, tree)
    const unread = link.isNamed ? problems : skipped
    if (typeof stats === 'string') unread.push({ file: link.file, reason: reasonOfAbsence(link.path, stats, tree) })
    else if (stats.isFile()) {
      const real = tree.real(link.path)
      if (!byPath.has(real)) byPath.set(real, link)
    } else if (!stats.isDirectory()) unread.push({ file: link.file, reason: specialFile(stats) })
  }
  return [...byPath.values()]
}

type Folder = FoundFile & { readonly layer: IgnoreLayer }

type Walk = {
  readonly options: FindFilesOptions
  /** What a glob matches; undefined: every YAML and JSON file. */
  readonly isIncluded: PathTest | undefined
  readonly search: Search
}

/** A folder that is being walked, and what of it is still to come. */
type OpenFolder = { readonly here: Folder; readonly marks: FolderMarks; readonly rest: Iterator<FolderEntry> }

/**
 * Walks a folder. Hidden folders, node_modules, templates of charts and what is ignored are left out. No recursion: in a
 * commit folders may be nested deeper than the stack is.
 */
function walk(folder: Folder, run: Walk): void {
  const open = [enter(folder, run)]
  for (let inner = open.at(-1); inner; inner = open.at(-1)) {
    const { here, marks, rest } = inner
    const { value: entry, done } = rest.next()
    if (done) open.pop()
    else if (entry.isDirectory()) {
      const child = childToWalk(entry.name, marks.chart, here, run)
      if (child) open.push(enter(child, run))
    } else if (!run.isIncluded && !mayHaveObjects(entry.name)) continue
    else if (marks.chart && isValuesFile(entry.name)) leaveOut(entry.name, here, 'chart-values', run)
    else takeFile(entry, here, run)
  }
}

function enter(folder: Folder, run: Walk): OpenFolder {
  run.options.onFolder?.(folder.path)
  const entries = list(folder, run)
  const marks = readMarks(entries)
  if (marks.kustomization) run.search.kustomizations.push(folder.path)
  const layer = enterFolder(folder.layer, folder.path, marks, readingOf(run))
  return { here: { ...folder, layer }, marks, rest: entries.values() }
}

const SLOW_PATTERN =
  'a pattern with more than three "*" in one name, more than three "**" or more than 1,000 characters is not applied, so that files which Git ignores by it are read'

const readingOf = ({ options: { tree, cwd }, search }: Walk): IgnoreReading => ({
  tree,
  onSlowPattern(path, line) {
    search.slowPatterns.set(path, { file: shownPath(path, cwd), line, reason: SLOW_PATTERN })
  },
})

const leaveOut = (name: string, { path, file }: Folder, reason: LeftOutReason, { options }: Walk): void =>
  options.onLeftOut?.(joined(path, name), shownChild(file, name), reason)

/** A folder in a folder, unless it is left out. */
function childToWalk(name: string, isOfChart: boolean, folder: Folder, run: Walk): Folder | undefined {
  const { path, file, layer } = folder
  const { options, isIncluded, search } = run
  if (name.startsWith('.') || name === 'node_modules') {
    if (name !== '.git') leaveOut(name, folder, name === 'node_modules' ? name : 'hidden', run)
    return undefined
  }
  const childPath = joined(path, name)
  const leadsToCwd = options.cwd.startsWith(childPath)
  const child = {
    path: childPath,
    file: leadsToCwd ? shownPath(childPath, options.cwd) : shownChild(file, name),
    layer,
  }
  if (isOut(child, layer, run, true)) return undefined
  if (!isOfChart || name !== TEMPLATES) return child
  leaveOut(name, folder, 'chart-template', run)
  if (!isIncluded || templatesOf(path, options.tree).some(isIncluded)) search.charts.set(path, file)
  return undefined
}

function takeFile(entry: FolderEntry, folder: Folder, run: Walk): void {
  const path = joined(folder.path, entry.name)
  if (run.isIncluded && !run.isIncluded(path)) return
  const file = shownChild(folder.file, entry.name)
  if (isOut({ path, file }, folder.layer, run, false)) return
  if (entry.isFile()) run.search.files.push({ path, file })
  else if (entry.isSymbolicLink()) run.search.links.push({ path, file })
  else run.search.skipped.push({ file, reason: specialFile(entry) })
}

/** Why something that is neither file nor folder is never opened: reading it might never end. */
function specialFile(entry: Pick<FolderEntry, 'isFIFO' | 'isSocket'>): string {
  if (entry.isFIFO()) return 'a named pipe, not a file; pipe it into `sluice lint -` instead'
  return entry.isSocket() ? 'a socket, not a file' : 'a device, not a file'
}

function isOut({ path, file }: FoundFile, layer: IgnoreLayer, { options }: Walk, isFolder: boolean): boolean {
  const isExcluded = options.isExcluded(path)
  if (!isExcluded && !isIgnored(layer, path, isFolder)) return false
  options.onLeftOut?.(path, file, isExcluded ? 'excluded' : 'git-ignored')
  return true
}

const joined = (folder: string, name: string): string => (folder.endsWith(sep) ? folder + name : folder + sep + name)

function list({ path, file }: Folder, { options, search }: Walk): readonly FolderEntry[] {
  try {
    return [...options.tree.list(path)].sort((a, b) => compareText(a.name, b.name))
  } catch (error) {
    search.problems.push({ file, reason: describeUnopened(error, path, options.tree) })
    return []
  }
}
