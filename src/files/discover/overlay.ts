/** `--stdin-filename`: the standard input as the text of a file that may not be on the disk yet. */
import { basename, dirname, join, resolve } from 'node:path'
import type { InputProblem } from '../input-problem.ts'
import { shownPath } from '../paths.ts'
import { DISK, type FileStats, type FileTree, type FolderEntry } from './file-tree.ts'
import { readBytes } from './stdin.ts'

/** A file whose bytes are not those on the disk. */
export type Overlay = {
  /** Absolute; no folder in it is a link. */
  readonly path: string
  readonly bytes: Buffer
  /** The disk with the file on it. */
  readonly tree: FileTree
  /** Why the standard input cannot be read. */
  readonly problems: readonly InputProblem[]
}

/** Reads the standard input as the text of a file. */
export function readOverlay(
  name: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin: Iterable<Uint8Array> },
): Overlay {
  const named = resolve(cwd, name)
  const folder = DISK.exists(dirname(named)) ? DISK.real(dirname(named)) : dirname(named)
  const path = join(folder, basename(named))
  const read = readBytes(stdin)
  const isThere = DISK.exists(path)
  const tree: FileTree = isThere ? DISK : withFile(folder, path, named)
  if (!('reason' in read)) return { path, bytes: read, tree, problems: [] }
  return { path, bytes: Buffer.alloc(0), tree, problems: [{ file: shownPath(named, cwd), reason: read.reason }] }
}

const A_FILE = {
  isDirectory: () => false,
  isFile: () => true,
  isSymbolicLink: () => false,
  isFIFO: () => false,
  isSocket: () => false,
}

/** The disk with one more file, which goes by its path and by the name that the user gave it. */
function withFile(folder: string, path: string, named: string): FileTree {
  const is = (other: string): boolean => other === path || other === named
  const stats: FileStats = { ...A_FILE, size: 0 }
  const entry: FolderEntry = { ...A_FILE, name: basename(path) }
  return {
    ...DISK,
    exists: (other) => is(other) || DISK.exists(other),
    stat: (other) => (is(other) ? stats : DISK.stat(other)),
    real: (other) => (is(other) ? path : other === dirname(named) ? folder : DISK.real(other)),
    list: (other) => (other === folder ? [...DISK.list(other), entry] : DISK.list(other)),
  }
}
