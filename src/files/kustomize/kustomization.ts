/** The kustomizations of folders. */
import { join, resolve } from 'node:path'
import {
  followKustomizations,
  interpretKustomization,
  type Kustomization,
  type Kustomizations,
} from '../../project/kustomizations.ts'
import { decodeText } from '../../yaml/decode.ts'
import type { FileTree } from '../discover/file-tree.ts'
import { systemErrorCode } from '../input-problem.ts'

/** Reads the kustomizations of some folders, and of every folder that these deploy. Paths are absolute. */
export const readKustomizations = (folders: Iterable<string>, tree: FileTree): Kustomizations =>
  followKustomizations(folders, (folder) => readKustomization(folder, tree))

/** The names that kustomize looks for, in its order. */
const FILE_NAMES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

/** Reads the kustomization of a folder; undefined where there is none. */
function readKustomization(folder: string, tree: FileTree): Kustomization | undefined {
  const found = findIn(folder, tree)
  if (found === undefined) return undefined
  const { text, problem } = decodeText(found.bytes)
  return interpretKustomization(problem ? undefined : text, { folder, file: found.file }, resolve)
}

/** Far more than a kustomization ever has. */
const MAX_BYTES = 4 * 1024 * 1024

function findIn(folder: string, tree: FileTree): { readonly file: string; readonly bytes: Uint8Array } | undefined {
  for (const name of FILE_NAMES) {
    const file = join(folder, name)
    try {
      const stats = tree.exists(file) ? tree.stat(file) : undefined
      if (stats?.isFile()) return { file, bytes: stats.size > MAX_BYTES ? NO_TEXT : tree.read(file) }
    } catch (error) {
      if (systemErrorCode(error) === undefined) throw error
    }
  }
  return undefined
}

const NO_TEXT = Uint8Array.of(0xff)
