/** Folders and files, whether on the disk or in a commit of Git. */
import { type Dirent, existsSync, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs'
import { readRegularFile } from '../../disk/read-regular-file.ts'

/** Files of more bytes are never read whole. */
export const MAX_FILE_BYTES = 64 * 1024 * 1024

/** A name in a folder, and what it is. */
export type FolderEntry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

/** What is at a path; `size` in bytes. */
export type FileStats = Pick<Stats, 'isDirectory' | 'isFile' | 'isFIFO' | 'isSocket' | 'size'>

/** Takes absolute paths. Throws the errors of `node:fs` where nothing is at a path, or it may not be read. */
export type FileTree = {
  exists(path: string): boolean
  /** Follows links. */
  stat(path: string): FileStats
  isLink(path: string): boolean
  /** The path with every link in it followed. */
  real(path: string): string
  list(folder: string): readonly FolderEntry[]
  /** Reads a regular file of at most {@link MAX_FILE_BYTES}. */
  read(path: string): Uint8Array
}

/** The disk. */
export const DISK: FileTree = {
  exists: existsSync,
  stat: (path) => statSync(path),
  isLink: (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false,
  real: (path) => realpathSync(path),
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  read: (path) => readRegularFile(path, MAX_FILE_BYTES),
}
