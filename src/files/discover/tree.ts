/** Folders and files, wherever they are: on the disk, or in a commit of Git. */
import {
  type Dirent,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'

/** A name in a folder, and what stands there. */
export type Entry = Pick<Dirent, 'name' | 'isDirectory' | 'isFile' | 'isSymbolicLink' | 'isFIFO' | 'isSocket'>

/** What stands at a path; `size` in bytes. */
export type Standing = Pick<Stats, 'isDirectory' | 'isFile' | 'isFIFO' | 'isSocket' | 'size'>

/** Answers by absolute paths. Where nothing is, or nothing may be read, it throws as node:fs does. */
export type Tree = {
  exists(path: string): boolean
  /** Follows links. */
  stat(path: string): Standing
  isLink(path: string): boolean
  /** The path with every link in it followed. */
  real(path: string): string
  list(folder: string): readonly Entry[]
  read(path: string): Uint8Array
}

/** What is there now. */
export const DISK: Tree = {
  exists: existsSync,
  stat: (path) => statSync(path),
  isLink: (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false,
  real: (path) => realpathSync(path),
  list: (folder) => readdirSync(folder, { withFileTypes: true }),
  read: (path) => readFileSync(path),
}
