/** One pass over a folder: which files may hold objects. Opens none of them. */
import { type Dirent, readdirSync } from 'node:fs'
import { sep } from 'node:path'
import { CHART_FILE, isValuesFile, TEMPLATES } from './charts.ts'
import { enterFolder, type IgnoreLayer, isIgnored } from './git-ignore.ts'
import { shownChild } from './paths.ts'
import type { PathTest } from './patterns.ts'
import { type InputProblem, reasonOf } from './problem.ts'

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

/** What to take. */
export type WalkOptions = {
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
  const entries = list(folder, found)
  const names = new Set(
    entries.filter((entry) => !entry.isDirectory() || entry.name === '.git').map(({ name }) => name),
  )
  const layer = enterFolder(folder.layer, folder.path, {
    repository: names.has('.git'),
    patterns: names.has('.gitignore'),
  })
  const isChart = names.has(CHART_FILE)
  for (const entry of entries) {
    const { name } = entry
    const child = { path: joined(folder.path, name), file: shownChild(folder.file, name), layer }
    if (entry.isDirectory()) {
      if (name.startsWith('.') || name === 'node_modules' || isOut(child, options, true)) continue
      if (isChart && name === TEMPLATES) found.charts.set(folder.path, folder.file)
      else walk(child, options, found)
    } else if (!isChart || !isValuesFile(name)) {
      takeFile(entry, child, options, found)
    }
  }
  if (entries.some(({ name }) => KUSTOMIZATION.test(name))) found.kustomizations.push(folder.path)
}

function takeFile(entry: Dirent, child: Folder, options: WalkOptions, found: Found): void {
  if (!(options.isWanted ? options.isWanted(child.path) : mayHoldObjects(entry.name))) return
  if (isOut(child, options, false)) return
  const { path, file } = child
  if (entry.isFile()) found.files.push({ path, file })
  else if (entry.isSymbolicLink()) found.links.push({ path, file })
  else found.problems.push({ file, reason: specialFile(entry) })
}

/** Why a thing that is neither file nor folder is never opened: reading it might never end. */
export function specialFile(entry: Pick<Dirent, 'isFIFO' | 'isSocket'>): string {
  if (entry.isFIFO()) return 'a named pipe, not a file; pipe it into `sluice lint -` instead'
  return entry.isSocket() ? 'a socket, not a file' : 'a device, not a file'
}

const isOut = ({ path, layer }: Folder, { isLeftOut }: WalkOptions, isFolder: boolean): boolean =>
  isLeftOut(path) || isIgnored(layer, path, isFolder)

const joined = (folder: string, name: string): string => (folder.endsWith(sep) ? folder + name : folder + sep + name)

function list({ path, file }: Folder, found: Found): readonly Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    found.problems.push({ file, reason: reasonOf(error) })
    return []
  }
}
