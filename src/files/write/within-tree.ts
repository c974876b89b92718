/** Nothing is written through a link that leads out of the working tree: it may have been committed by anybody. */
import { realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fileError, systemErrorCode } from '../../text/system-error.ts'
import { DISK } from '../discover/file-tree.ts'
import { topOf } from '../discover/git-ignore.ts'

/** Where files may be written. */
export type Tree = {
  /** The working directory. The tree is the repository of Git around it, else this folder. */
  readonly cwd: string
  /** Paths of the command line, which may be links that lead elsewhere. */
  readonly named?: readonly string[]
}

/**
 * Throws `OUTSIDE` where a path (relative to the working directory, or absolute) lies in the tree, and links in it lead
 * out of the tree. A path that lies outside as it is written is meant by the user.
 */
export function checkWithinTree(path: string, { cwd, named = [] }: Tree): void {
  const folder = realPath(cwd)
  const tree = topOf(folder, DISK)
  const written = path.startsWith(cwd + sep) ? join(folder, path.slice(cwd.length)) : resolve(folder, path)
  const real = realPath(written)
  if (!isWithin(written, tree) || isWithin(real, tree)) return
  if (!named.some((one) => isWithin(real, realPath(resolve(cwd, one))))) throw fileError('OUTSIDE', path)
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

/** Follows the links in the part of a path that exists. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    const parent = dirname(path)
    if (systemErrorCode(error) !== 'ENOENT' || parent === path) throw error
    return join(realPath(parent), basename(path))
  }
}
