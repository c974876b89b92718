/** The kustomizations among the files: which of them are built, and which files belong to them. */

import { dirname } from 'node:path'
import type { FileTree } from '../discover/file-tree.ts'
import type { FoundFiles } from '../discover/find-files.ts'
import { type Kustomization, readKustomization } from './kustomization.ts'

/** A kustomization that no other one builds on. Paths are absolute. */
export type KustomizationRoot = {
  readonly folder: string
  /** The file of the kustomization itself. */
  readonly file: string
  /** Every file that its build reads: kustomizations, resources, patches, configuration. Some may not exist. */
  readonly files: ReadonlySet<string>
}

/** What the kustomizations say about the files. */
export type Kustomize = {
  readonly roots: readonly KustomizationRoot[]
  /** Paths of kustomizations that cannot be read: what they say about other files is not known. */
  readonly unreadable: readonly string[]
}

/**
 * Reads the kustomizations that were found, and every one that these deploy. A kustomization elsewhere counts where it
 * builds on one of the found files. `onFolder` is called with each folder of which a build reads a file, before the
 * kustomization there is read.
 */
export function readKustomize(
  { files: found, kustomizations, otherKustomizations }: FoundKustomizations,
  tree: FileTree,
  onFolder?: (folder: string) => void,
): Kustomize {
  const known = new Map<string, Kustomization | undefined>()
  const get = (folder: string): Kustomization | undefined => {
    if (known.has(folder)) return known.get(folder)
    const isFile = looksLikeFile(folder)
    if (!isFile && isFolder(folder, tree)) onFolder?.(folder)
    const kustomization = isFile ? undefined : readKustomization(folder, tree)
    known.set(folder, kustomization)
    return kustomization
  }
  const near = new Set(reachable(kustomizations, get))
  const roots = rootsOf(reachable([...kustomizations, ...otherKustomizations], get)).flatMap((root) => {
    const files = filesOf(root, get)
    const isMeant = near.has(root) || found.some(({ path }) => files.has(path))
    return isMeant ? [{ folder: root.folder, file: root.file, files }] : []
  })
  if (onFolder) {
    const holding = new Set(roots.flatMap(({ files }) => [...files].map((file) => dirname(file))))
    for (const folder of holding) if (!known.has(folder) && isFolder(folder, tree)) onFolder(folder)
  }
  return { roots, unreadable: [...near].flatMap(({ unreadable }) => unreadable ?? []) }
}

const isFolder = (path: string, tree: FileTree): boolean => tree.exists(path) && tree.stat(path).isDirectory()

/** What {@link readKustomize} needs of the files that were found. */
export type FoundKustomizations = Pick<FoundFiles, 'files' | 'kustomizations' | 'otherKustomizations'>

type Get = (folder: string) => Kustomization | undefined

function reachable(folders: Iterable<string>, get: Get): readonly Kustomization[] {
  const all = new Map<string, Kustomization>()
  const waiting = [...folders]
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const kustomization = all.has(folder) ? undefined : get(folder)
    if (!kustomization) continue
    all.set(folder, kustomization)
    waiting.push(...kustomization.resources)
  }
  return [...all.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1))
}

const looksLikeFile = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)

/** Kustomizations that no other one deploys. */
function rootsOf(all: readonly Kustomization[]): readonly Kustomization[] {
  const deployed = new Set(all.flatMap(({ folder, resources }) => resources.filter((resource) => resource !== folder)))
  return all.filter(({ folder, unreadable }) => unreadable === undefined && !deployed.has(folder))
}

function filesOf(root: Kustomization, get: Get): ReadonlySet<string> {
  const files = new Set<string>()
  const entered = new Set([root])
  for (const { file, resources, fragments } of entered) {
    files.add(file)
    for (const fragment of fragments) files.add(fragment)
    for (const resource of resources) {
      const deeper = get(resource)
      if (deeper) entered.add(deeper)
      else files.add(resource)
    }
  }
  return files
}
