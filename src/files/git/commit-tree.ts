/** The folders and files of a commit, with the interface of those on the disk. */
import { readlinkSync, realpathSync } from 'node:fs'
import { join, posix, relative, sep } from 'node:path'
import { DISK, type FileStats, type FileTree, type FolderEntry } from '../discover/file-tree.ts'
import { foldersAbove, withSlashes } from '../paths.ts'

/** A file of a commit. */
export type CommitFile = { readonly path: string; readonly id: string; readonly isLink: boolean }

/** The tree of a commit, at the folder of its repository. `.git` is the one on the disk. */
export type CommitTree = FileTree & {
  /** The id of the file or link at a path, links not followed; undefined where there is none. */
  idOf(path: string): string | undefined
  /** Files that decide which others are read, and how. {@link keep} must get their bytes before the tree is used. */
  readonly controlFiles: readonly CommitFile[]
  /** Stores the bytes of a file, by its id. */
  keep(id: string, bytes: Uint8Array): void
}

type Node = { readonly kind: 'file' | 'folder' | 'link'; readonly id: string }

/** Folders by their path relative to the root, with forward slashes; the root is empty. */
type Folders = Map<string, Map<string, Node>>

const CONTROL_FILE = /^(?:kustomization\.ya?ml|Kustomization|\.gitignore)$/

/** Makes the tree of the output of `git ls-tree -r -z`. */
export function createCommitTree(root: string, listing: Buffer): CommitTree {
  const kept = new Map<string, Uint8Array>()
  const { folders, controlFiles } = readListing(listing.toString())
  const find = (path: string): { readonly path: string; readonly node: Node } => {
    const found = resolveLinks(relativeTo(root, path), folders, kept)
    return { path: found.path === '' ? root : join(root, found.path), node: found.node }
  }
  // No commit holds a folder of this name; that of a worktree is elsewhere.
  const isDotGit = (path: string) => path === join(root, '.git') || path.includes(`${sep}.git${sep}`)
  const nodeAt = (path: string): Node | undefined => nodeIn(folders, relativeTo(root, path) ?? OUTSIDE)
  return {
    controlFiles: controlFiles.map((file) => ({ ...file, path: join(root, file.path) })),
    keep: (id, bytes) => void kept.set(id, bytes),
    idOf: (path) => nodeAt(path)?.id || undefined,
    exists: (path) => (isDotGit(path) ? DISK.exists(path) : succeeds(() => find(path))),
    stat: (path) => (isDotGit(path) ? DISK.stat(path) : statsOf(find(path).node, kept)),
    isLink: (path) => nodeAt(path)?.kind === 'link',
    real: (path) => find(path).path,
    list: (folder) => listFolder(relativeTo(root, find(folder).path) ?? OUTSIDE, folders),
    read: (path) => (isDotGit(path) ? DISK.read(path) : (kept.get(find(path).node.id) ?? notThere(path))),
  }
}

/** Is not the path of anything within a repository. */
const OUTSIDE = '..'

const FOLDER: Node = { kind: 'folder', id: '' }

/** Parses `MODE TYPE ID TAB PATH NUL`, repeated. Submodules are left out: their files are in another repository. */
function readListing(text: string): { readonly folders: Folders; readonly controlFiles: readonly CommitFile[] } {
  const folders: Folders = new Map([['', new Map()]])
  const controlFiles: CommitFile[] = []
  for (const record of text.split('\0')) {
    const tab = record.indexOf('\t')
    const [mode, , id] = record.slice(0, tab).split(' ')
    if (tab === -1 || mode === undefined || id === undefined || mode.startsWith('16')) continue
    const path = record.slice(tab + 1)
    const isLink = mode.startsWith('12')
    folderOf(parentOf(path), folders).set(posix.basename(path), { kind: isLink ? 'link' : 'file', id })
    if (isLink || CONTROL_FILE.test(posix.basename(path))) controlFiles.push({ path, id, isLink })
  }
  return { folders, controlFiles }
}

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** The folder at a path. Adds it, and the folders above it, where it is missing. */
function folderOf(path: string, folders: Folders): Map<string, Node> {
  const known = folders.get(path)
  if (known) return known
  const made = new Map<string, Node>()
  folders.set(path, made)
  folderOf(parentOf(path), folders).set(posix.basename(path), FOLDER)
  return made
}

function nodeIn(folders: Folders, path: string): Node | undefined {
  return path === '' ? FOLDER : folders.get(parentOf(path))?.get(posix.basename(path))
}

/** The path relative to the root, or undefined outside of it. A path may lead to the root through links on the disk. */
function relativeTo(root: string, path: string): string | undefined {
  if (path === root) return ''
  if (path.startsWith(root + sep)) return withSlashes(path.slice(root.length + 1))
  const real = followOnDisk(path)
  return real !== path && (real === root || real.startsWith(root + sep)) ? relativeTo(root, real) : undefined
}

/** Follows the links in the part of a path that exists on the disk. */
function followOnDisk(path: string): string {
  for (const folder of [path, ...foldersAbove(path)])
    if (DISK.exists(folder)) return join(realpathSync(folder), relative(folder, path))
  return path
}

/** Links that are followed in one path, as in Linux. */
const MAX_LINKS = 40

/** Follows every link in a path. Throws where nothing is there. */
function resolveLinks(
  path: string | undefined,
  folders: Folders,
  kept: ReadonlyMap<string, Uint8Array>,
): { readonly path: string; readonly node: Node } {
  let rest = path ?? notThere('')
  for (let links = 0; links < MAX_LINKS; links += 1) {
    const link = firstLink(rest, folders)
    if (!link) return { path: rest, node: nodeIn(folders, rest) ?? notThere(rest) }
    const target = new TextDecoder().decode(kept.get(link.id))
    if (posix.isAbsolute(target)) return notThere(rest)
    const joined = posix.normalize(posix.join(parentOf(link.path), target, rest.slice(link.path.length + 1)))
    rest = joined === '.' ? '' : joined.replace(/\/$/, '')
    if (rest.startsWith('..')) return notThere(rest)
  }
  throw systemError('ELOOP', path ?? '')
}

/** The first link in a path. */
function firstLink(path: string, folders: Folders): { readonly path: string; readonly id: string } | undefined {
  const node = nodeIn(folders, path)
  // Nothing behind a link is in the listing.
  if (folders.has(parentOf(path))) return node?.kind === 'link' ? { path, id: node.id } : undefined
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const at = end === -1 ? path : path.slice(0, end)
    const node = at === '' ? undefined : nodeIn(folders, at)
    if (node?.kind === 'link') return { path: at, id: node.id }
    if (end === -1) return undefined
  }
}

const statsOf = ({ kind, id }: Node, kept: ReadonlyMap<string, Uint8Array>): FileStats => ({
  ...kindOf(kind),
  size: kept.get(id)?.length ?? 0,
})

const kindOf = (kind: Node['kind']) => ({
  isDirectory: () => kind === 'folder',
  isFile: () => kind === 'file',
  isSymbolicLink: () => kind === 'link',
  isFIFO: () => false,
  isSocket: () => false,
})

function listFolder(path: string, folders: Folders): readonly FolderEntry[] {
  const entries = folders.get(path) ?? notThere(path)
  const own = [...entries].map(([name, { kind }]) => ({ name, ...kindOf(kind) }))
  return path === '' ? [...own, { name: '.git', ...kindOf('folder') }] : own
}

/** An error like those of node:fs. */
const systemError = (code: string, path: string): Error =>
  Object.assign(new Error(`${code}: ${path}`), { code, syscall: 'stat' })

function notThere(path: string): never {
  throw systemError('ENOENT', path)
}

function succeeds(attempt: () => unknown): boolean {
  try {
    attempt()
    return true
  } catch {
    return false
  }
}

/** The bytes that Git would store for the file or link on the disk; undefined where there is none of that kind. */
export function bytesOnDisk({ path, isLink }: CommitFile): Uint8Array | undefined {
  try {
    if (isLink) return Buffer.from(withSlashes(readlinkSync(path)))
    return DISK.isLink(path) || !DISK.stat(path).isFile() ? undefined : DISK.read(path)
  } catch {
    return undefined
  }
}
