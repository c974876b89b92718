/** The kustomizations of folders. */
import { dirname, join, resolve } from 'node:path'
import { KUSTOMIZATION_FILES } from '../../kustomize/kustomization.ts'
import {
  followKustomizations,
  interpretKustomization,
  type Kustomization,
  type Kustomizations,
  type KustomizationText,
} from '../../project/kustomizations.ts'
import { decodeText } from '../../yaml/decode.ts'
import type { Texts } from '../../yaml/documents.ts'
import type { FileTree } from '../discover/file-tree.ts'
import type { FoundFiles } from '../discover/find-files.ts'
import { systemErrorCode } from '../input-problem.ts'

/** What {@link readKustomize} needs of the files that were found. */
export type FoundKustomizations = Pick<FoundFiles, 'files' | 'kustomizations' | 'otherKustomizations'>

/** Where they are read. */
export type ReadKustomizeOptions = {
  readonly tree: FileTree
  readonly texts: Texts
  /** Is called with each folder of which a build reads a file, before the kustomization there is read. */
  readonly onFolder?: ((folder: string) => void) | undefined
}

/**
 * Reads the kustomizations that were found, and every one that these deploy. A kustomization elsewhere counts where it
 * builds on one of the found files. Paths are absolute.
 */
export function readKustomize(
  { files, kustomizations, otherKustomizations }: FoundKustomizations,
  { tree, texts, onFolder }: ReadKustomizeOptions,
): Kustomizations {
  const found = new Set(files.map(({ path }) => path))
  const known = new Set<string>()
  const enter = (folder: string): void => {
    if (known.has(folder) || !onFolder) return
    known.add(folder)
    if (isFolder(folder, tree)) onFolder(folder)
  }
  const folders = {
    near: [...kustomizations],
    others: [...otherKustomizations],
    isMeant: (path: string) => found.has(path),
    onNear: enter,
  }
  const followed = followKustomizations(folders, (folder) => readKustomization(folder, { tree, texts }))
  for (const root of followed.roots) for (const file of root.files) enter(dirname(file))
  return followed
}

/** True for a folder that exists. */
export const isFolder = (path: string, tree: FileTree): boolean => tree.exists(path) && tree.stat(path).isDirectory()

/** Reads the kustomization of a folder; undefined where there is none. */
export function readKustomization(folder: string, { tree, texts }: ReadKustomizeOptions): Kustomization | undefined {
  const found = findIn(folder, tree)
  if (found === undefined) return undefined
  return interpretKustomization(found.content, { folder, file: found.file, texts }, resolve)
}

/** Far more than a kustomization ever has. */
const MAX_BYTES = 4 * 1024 * 1024

function findIn(
  folder: string,
  tree: FileTree,
): { readonly file: string; readonly content: KustomizationText } | undefined {
  for (const name of KUSTOMIZATION_FILES) {
    const file = join(folder, name)
    try {
      const stats = tree.exists(file) ? tree.stat(file) : undefined
      if (stats?.isFile()) return { file, content: stats.size > MAX_BYTES ? TOO_LARGE : textIn(tree.read(file)) }
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
    }
  }
  return undefined
}

const TOO_LARGE = { reason: `larger than ${MAX_BYTES / 1024 / 1024} MiB` }

function textIn(bytes: Uint8Array): KustomizationText {
  const { text, problem } = decodeText(bytes)
  return problem ? { reason: problem.reason } : { text }
}
