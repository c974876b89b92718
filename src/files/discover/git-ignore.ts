/** What Git ignores: `.gitignore` files of every level and `.git/info/exclude`. */
import { join, resolve, sep } from 'node:path'
import ignore, { type Ignore } from 'ignore'
import { isSlowGitPattern } from '../../text/glob.ts'
import { foldersAbove, shownPath, withSlashes } from '../paths.ts'
import type { FileTree } from './file-tree.ts'

/** The patterns that apply to a folder and everything in it. */
export type IgnoreLayer = {
  /** The folder that the patterns' paths are relative to. */
  readonly root: string
  /** Undefined where nothing is ignored so far. */
  readonly patterns: Ignore | undefined
}

/** How the files with patterns are read. */
export type IgnoreReading = {
  readonly tree: FileTree
  /** Called for each file with patterns that would take very long, and are passed over: the line of the first of them. */
  readonly onSlowPattern?: (path: string, line: number) => void
}

/** The folder that holds `.git`, at or above a folder; undefined outside of any repository. */
export function repositoryOf(folder: string, tree: FileTree): string | undefined {
  for (const candidate of [folder, ...foldersAbove(folder)]) if (tree.exists(join(candidate, '.git'))) return candidate
  return undefined
}

/**
 * The patterns that apply to a folder from the folders above it, without those of its own `.gitignore`. For a folder
 * that is itself ignored there are none: a user who names it wants it read.
 */
export function layerAbove(folder: string, reading: IgnoreReading): IgnoreLayer {
  const repository = repositoryOf(folder, reading.tree)
  if (repository === undefined || repository === folder) return emptyLayer(folder)
  let layer = enterFolder(emptyLayer(repository), repository, { repository: true, patterns: true }, reading)
  for (const between of [...foldersAbove(folder, repository)].reverse().slice(1))
    layer = enterFolder(layer, between, { repository: false, patterns: true }, reading)
  return isIgnored(layer, folder, true) ? emptyLayer(folder) : layer
}

const emptyLayer = (root: string): IgnoreLayer => ({ root, patterns: undefined })

/** Which entries with a meaning for Git a folder has. */
type GitMarks = {
  /** It holds `.git`, so patterns from above do not apply. */
  readonly repository: boolean
  /** It holds `.gitignore`. */
  readonly patterns: boolean
}

/** The patterns that apply within a folder: those from above and its own. */
export function enterFolder(above: IgnoreLayer, folder: string, marks: GitMarks, reading: IgnoreReading): IgnoreLayer {
  let layer = above
  if (marks.repository) layer = addPatterns(emptyLayer(folder), folder, excludeFileOf(folder, reading.tree), reading)
  return marks.patterns ? addPatterns(layer, folder, join(folder, '.gitignore'), reading) : layer
}

/** True where Git ignores a path. The folders above it must have been checked before. */
export function isIgnored({ root, patterns }: IgnoreLayer, path: string, isFolder: boolean): boolean {
  if (!patterns) return false
  const relative = withSlashes(path.slice(root.endsWith(sep) ? root.length : root.length + 1))
  return patterns.ignores(isFolder ? `${relative}/` : relative)
}

/** Adds the patterns of a file, which apply to a folder. */
function addPatterns(
  layer: IgnoreLayer,
  folder: string,
  file: string,
  { tree, onSlowPattern }: IgnoreReading,
): IgnoreLayer {
  const written = readIfThere(file, tree)?.split(/\r?\n/) ?? []
  const isPattern = (line: string): boolean => line.trim() !== '' && !line.startsWith('#')
  // A pattern that would take years is passed over, so that what it means is read.
  const slow = written.findIndex((line) => isPattern(line) && isSlowGitPattern(line))
  if (slow >= 0) onSlowPattern?.(file, slow + 1)
  const lines = written.filter((line) => isPattern(line) && !isSlowGitPattern(line))
  if (lines.length === 0) return layer
  const below = shownPath(folder, layer.root)
  const patterns = ignore({ ignorecase: false })
  if (layer.patterns) patterns.add(layer.patterns)
  patterns.add(below === '.' ? lines : lines.map((line) => anchor(line, below)))
  return { root: layer.root, patterns }
}

/** Rewrites a pattern of a nested `.gitignore` as one of the root. Later patterns take precedence, as deeper files do in Git. */
function anchor(line: string, folder: string): string {
  const negative = line.startsWith('!')
  const pattern = negative ? line.slice(1) : line
  const place = folder.replace(/[\\*?[\]!# ]/g, '\\$&')
  const isAnchored = pattern.replace(/\/\s*$/, '').includes('/')
  const path = isAnchored ? pattern.replace(/^\//, '') : `**/${pattern}`
  return `${negative ? '!' : ''}/${place}/${path}`
}

/** `.git` is a folder, or in a worktree and a submodule a file that names one. */
function excludeFileOf(repository: string, tree: FileTree): string {
  const dotGit = join(repository, '.git')
  const link = readIfThere(dotGit, tree)?.match(/^gitdir: (.+)$/m)?.[1]
  if (link === undefined) return join(dotGit, 'info', 'exclude')
  const own = resolve(repository, link.trim())
  const common = readIfThere(join(own, 'commondir'), tree)?.trim()
  return join(common === undefined ? own : resolve(own, common), 'info', 'exclude')
}

function readIfThere(file: string, tree: FileTree): string | undefined {
  try {
    return tree.stat(file).isFile() ? new TextDecoder().decode(tree.read(file)) : undefined
  } catch {
    return undefined
  }
}

/** How far up to look for what applies to a folder: to the Git root; outside of any repository to the folder itself. */
export const topOf = (folder: string, tree: FileTree): string => repositoryOf(folder, tree) ?? folder
