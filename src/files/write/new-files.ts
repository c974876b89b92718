/** Writes files that sluice makes: reports, rendered configuration, baselines. Each is written whole or not at all. */

import { lstatSync, mkdirSync, realpathSync, type Stats, statSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileError } from '../../text/system-error.ts'
import { withoutEnd } from '../../text/trim.ts'
import { describeSystemError, type InputProblem, systemErrorCode } from '../input-problem.ts'
import { withSlashes } from '../paths.ts'
import { commitDraft, discardDraft, type FileDraft, writeDraft } from './replace-file.ts'
import { checkWithinTree } from './within-tree.ts'

/** A file to write. */
export type FileToWrite = {
  /** Relative to the folder, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** The files that were written, as shown to the user, or the first that cannot be written. */
export type WriteResult = { readonly files: readonly string[] } | { readonly problem: InputProblem }

/**
 * Writes files into a folder. All drafts are complete before the first is renamed. Missing folders are created; other
 * files in them stay. A link at the place of a file is replaced, not followed.
 */
export function writeFolder(folder: string, files: readonly FileToWrite[], cwd: string): WriteResult {
  const root = resolve(cwd, folder)
  const base = withoutEnd(withSlashes(folder), '/')
  const waiting: { readonly draft: FileDraft; readonly shown: string }[] = []
  let shown = withSlashes(folder)
  try {
    for (const file of files) {
      const path = join(root, file.path)
      shown = `${base}/${file.path}`
      if (!path.startsWith(join(root, '/'))) throw fileError('OUTSIDE', path)
      checkWithinTree(dirname(path), { cwd })
      const old = statsOf(path, lstatSync)
      if (old?.isDirectory()) return { problem: { file: shown, reason: IS_FOLDER } }
      mkdirSync(dirname(path), { recursive: true })
      waiting.push({ draft: writeDraft(path, file.text, old?.isFile() ? old : undefined), shown })
    }
    const written: string[] = []
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      shown = next.shown
      commitDraft(next.draft)
      written.push(shown)
    }
    return { files: written }
  } catch (error) {
    return { problem: { file: shown, reason: describeSystemError(error) } }
  } finally {
    for (const { draft } of waiting) discardDraft(draft)
  }
}

const IS_FOLDER = 'expected a file, found a folder'

/**
 * Writes one file that the user names. A link is followed, unless it leads out of the working tree. What is not a regular file (`/dev/null`, a pipe) is written
 * to, never replaced. Returns why it cannot be done, with `shown` as its `file`; undefined when it is done.
 */
export function writeOutput(path: string, shown: string, text: string, cwd: string): InputProblem | undefined {
  try {
    checkWithinTree(path, { cwd })
    const old = statsOf(path, statSync)
    if (old?.isDirectory()) return { file: shown, reason: IS_FOLDER }
    if (old && !old.isFile()) writeFileSync(path, text)
    else commitDraft(writeDraft(old ? realpathSync(path) : path, text, old))
    return undefined
  } catch (error) {
    const isFolderMissing = systemErrorCode(error) === 'ENOENT'
    return { file: shown, reason: isFolderMissing ? 'its folder does not exist' : describeSystemError(error) }
  }
}

function statsOf(path: string, stat: (path: string) => Stats): Stats | undefined {
  try {
    return stat(path)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
