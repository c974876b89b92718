/** Why something that was found or named cannot be opened. */
import { basename, dirname } from 'node:path'
import { describeSystemError, systemErrorCode } from '../input-problem.ts'
import { foldersAbove } from '../paths.ts'
import type { FileTree } from './file-tree.ts'

/** What the bytes of a name that are not UTF-8 are read as; with it the name leads to nothing. */
const REPLACEMENT = '\uFFFD'

/** Describes an error of `node:fs` about an absolute path. Any other error is thrown again. */
export function describeUnopened(error: unknown, path: string, tree: FileTree): string {
  const name = systemErrorCode(error) === 'ENOENT' ? undecodedName(path, tree) : undefined
  if (name === undefined) return describeSystemError(error)
  const glob = name.replaceAll(/\uFFFD+/g, '*').replaceAll(/[^\w.*-]/gu, '?')
  return `the name is not UTF-8; rename it: \`ls -bd ./${glob}\` in its folder shows its bytes`
}

/** The name of what is at a path, or of a folder above, where its own folder lists it and it is not found by it. */
function undecodedName(path: string, tree: FileTree): string | undefined {
  if (!path.includes(REPLACEMENT)) return undefined
  const isMissing = (one: string) => !tree.exists(one) && !tree.isLink(one)
  const missing = [path, ...foldersAbove(path)].filter(isMissing).at(-1)
  const name = basename(missing ?? '')
  return missing !== undefined && name.includes(REPLACEMENT) && namesIn(dirname(missing), tree).includes(name)
    ? name
    : undefined
}

function namesIn(folder: string, tree: FileTree): readonly string[] {
  try {
    return tree.list(folder).map(({ name }) => name)
  } catch (error) {
    describeSystemError(error)
    return []
  }
}
