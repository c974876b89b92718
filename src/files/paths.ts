/** Paths: absolute ones, and how they are shown: relative to the working directory, with forward slashes. */
import { relative, sep } from 'node:path'

/** Whether an absolute path is meant. */
export type PathTest = (path: string) => boolean

/** Names an absolute path as seen from a folder; the folder itself is `.`. */
export const shownPath = (path: string, from: string): string => withSlashes(relative(from, path)) || '.'

/** Forward slashes on every system. */
export const withSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))

/** Adds a name to a shown folder. */
export const shownChild = (folder: string, name: string): string => (folder === '.' ? name : `${folder}/${name}`)

/** The folders above a path, nearest first, up to and including `top` (or the root of the file system). */
export function* foldersAbove(path: string, top?: string): Iterable<string> {
  let at = path
  while (at !== top) {
    const cut = at.lastIndexOf(sep)
    const parent = cut > 0 ? at.slice(0, cut) : at.slice(0, cut + 1)
    if (parent === at || parent === '') return
    yield parent
    at = parent
  }
}
