/** One pass over a folder: which files may hold objects. Opens none of them. */
import { sep } from 'node:path'
import { CHART_FILE, isValuesFile, TEMPLATES, templatesOf } from '../helm/charts.ts'
import { shownChild, shownPath } from '../paths.ts'
import { type InputProblem, reasonOf } from '../problem.ts'
import { enterFolder, type IgnoreLayer, isIgnored } from './git-ignore.ts'
import type { PathTest } from './patterns.ts'
import type { Entry, Tree } from './tree.ts'

/** A file to read. */
export type FoundFile = {
  /** Absolute; every folder of it is a real one. */
  readonly path: string
  /** As the report names it. */
  readonly file: string
}

/** What a walk collects. */
export type Found = {
  readonly files: FoundFile[]
  /** Links: where they lead is asked when all files are known. */
  readonly links: FoundFile[]
  /** Folders that hold a kustomization, or may hold one as they lie above what was named. */
  readonly kustomizations: string[]
  /** Charts whose templates were passed over: folder and how it is shown. */
  readonly charts: Map<string, string>
  readonly problems: InputProblem[]
}

export const nothingFound = (): Found => ({
  files: [],
  links: [],
  kustomizations: [],
  charts: new Map(),
  problems: [],
})

/** What to take, and how to name it. */
export type WalkOptions = {
  readonly cwd: string
  readonly tree: Tree
  /** Left out, beside what Git ignores. */
  readonly isLeftOut: PathTest
  /** What a glob asks for; default: every YAML and JSON file. */
  readonly isWanted?: PathTest
}

const HAS_OBJECTS = /\.(?:ya?ml|json)$/i

/** True for the names of files that are read without being named. */
export const mayHoldObjects = (name: string): boolean => HAS_OBJECTS.test(name)

const KUSTOMIZATION = /^(?:kustomization\.ya?ml|Kustomization)$/

type Folder = FoundFile & { readonly layer: IgnoreLayer }

/** Walks a real folder. Hidden folders, node_modules, templates of charts and what is ignored are left out. */
export function walk(folder: Folder, options: WalkOptions, found: Found): void {
  const entries = list(folder, options.tree, found)
  const marks = readMarks(entries)
  const layer = enterFolder(folder.layer, folder.path, marks, options.tree)
  const here = { ...folder, layer }
  if (marks.kustomization) found.kustomizations.push(folder.path)
  for (const entry of entries) {
    if (entry.isDirectory()) walkChild(entry.name, marks.chart, here, { options, found })
    else if ((options.isWanted || mayHoldObjects(entry.name)) && !(marks.chart && isValuesFile(entry.name)))
      takeFile(entry, here, options, found)
  }
}

type Run = { readonly options: WalkOptions; readonly found: Found }

function walkChild(name: string, isOfChart: boolean, { path, file, layer }: Folder, { options, found }: Run): void {
  if (name.startsWith('.') || name === 'node_modules') return
  const childPath = joined(path, name)
  const leadsToCwd = options.cwd.startsWith(childPath)
  const child = {
    path: childPath,
    file: leadsToCwd ? shownPath(childPath, options.cwd) : shownChild(file, name),
    layer,
  }
  if (isOut(child.path, layer, options, true)) return
  if (!isOfChart || name !== TEMPLATES) walk(child, options, found)
  else if (!options.isWanted || templatesOf(path, options.tree).some(options.isWanted)) found.charts.set(path, file)
}

/** What names in a folder say of it. */
function readMarks(entries: readonly Entry[]) {
  const marks = { repository: false, patterns: false, chart: false, kustomization: false }
  for (const { name } of entries) {
    if (name === '.git') marks.repository = true
    else if (name === '.gitignore') marks.patterns = true
    else if (name === CHART_FILE) marks.chart = true
    else if (KUSTOMIZATION.test(name)) marks.kustomization = true
  }
  return marks
}

function takeFile(entry: Entry, folder: Folder, options: WalkOptions, found: Found): void {
  const path = joined(folder.path, entry.name)
  if (options.isWanted && !options.isWanted(path)) return
  if (isOut(path, folder.layer, options, false)) return
  const file = shownChild(folder.file, entry.name)
  if (entry.isFile()) found.files.push({ path, file })
  else if (entry.isSymbolicLink()) found.links.push({ path, file })
  else found.problems.push({ file, reason: specialFile(entry) })
}

/** Why a thing that is neither file nor folder is never opened: reading it might never end. */
export function specialFile(entry: Pick<Entry, 'isFIFO' | 'isSocket'>): string {
  if (entry.isFIFO()) return 'a named pipe, not a file; pipe it into `sluice lint -` instead'
  return entry.isSocket() ? 'a socket, not a file' : 'a device, not a file'
}

const isOut = (path: string, layer: IgnoreLayer, { isLeftOut }: WalkOptions, isFolder: boolean): boolean =>
  isLeftOut(path) || isIgnored(layer, path, isFolder)

const joined = (folder: string, name: string): string => (folder.endsWith(sep) ? folder + name : folder + sep + name)

function list({ path, file }: Folder, tree: Tree, found: Found): readonly Entry[] {
  try {
    return [...tree.list(path)].sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    found.problems.push({ file, reason: reasonOf(error) })
    return []
  }
}
