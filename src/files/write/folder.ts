/** Writes files into a folder: each whole or not at all. */
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { withSlashes } from '../paths.ts'
import { codeOf, type InputProblem, reasonOf } from '../problem.ts'

/** A file to write. */
export type FileToWrite = {
  /** Relative to the folder, with forward slashes. */
  readonly path: string
  readonly text: string
}

/** The files that were written, as shown, or the first that cannot be written. */
export type Written = { readonly files: readonly string[] } | { readonly problem: InputProblem }

/**
 * Writes every file beside its place first and renames when all are there, so that nobody sees half of one. Folders
 * are made where they are missing; other files in them are left alone.
 */
export function writeFolder(folder: string, files: readonly FileToWrite[], cwd: string): Written {
  const root = resolve(cwd, folder)
  const drafts: { readonly draft: string; readonly path: string; readonly shown: string }[] = []
  const base = withSlashes(folder).replace(/\/+$/, '')
  let shown = withSlashes(folder)
  try {
    for (const [index, file] of files.entries()) {
      const path = join(root, file.path)
      shown = `${base}/${file.path}`
      refuseFolder(path)
      mkdirSync(dirname(path), { recursive: true })
      const draft = join(dirname(path), `.sluice-${process.pid}-${index}`)
      drafts.push({ draft, path, shown })
      writeFileSync(draft, file.text)
    }
    for (const one of drafts) {
      shown = one.shown
      renameSync(one.draft, one.path)
    }
    return { files: drafts.map((one) => one.shown) }
  } catch (error) {
    return { problem: { file: shown, reason: reasonOf(error) } }
  } finally {
    for (const { draft } of drafts) rmSync(draft, { force: true })
  }
}

/** Asks for the place before anything is written: a name that the file system refuses, or a folder, is found here. */
function refuseFolder(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) throw Object.assign(new Error('a folder'), { code: 'EISDIR', syscall: 'rename' })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
  }
}
