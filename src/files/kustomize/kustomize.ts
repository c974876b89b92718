/** What all kustomizations together say about a file: whether it is a fragment, and which namespace its objects get. */

import type { FileTree } from '../discover/file-tree.ts'
import { type Kustomization, readKustomization } from './kustomization.ts'

/** What kustomizations do to the objects of a file. */
export type Placement = {
  /** The namespace that they get; `null`: several, or one that is not known; undefined: none. */
  readonly namespace: string | null | undefined
  /** True where their names change. */
  readonly renamed: boolean
  /** The folders of the outermost kustomizations that deploy the file. */
  readonly roots: readonly string[]
}

/** The effect of a set of kustomizations, by absolute path of a file. */
export type Kustomize = {
  /** True for patches, values and configuration, which are not whole manifests. */
  isFragment(path: string): boolean
  /** The folders of all kustomizations. */
  readonly folders: readonly string[]
  /** The files that the kustomization of a folder deploys, itself or by others. */
  deployedBy(folder: string): Iterable<string>
  /** Undefined for a file that is in no kustomization. */
  placementOf(path: string): Placement | undefined
  /** Absolute paths of kustomizations that cannot be read: what they say about other files is not known. */
  readonly unreadable: readonly string[]
}

/**
 * Reads the kustomizations of some folders, and of every folder that these deploy. The outermost `namespace:` takes
 * precedence, as in kustomize; a file that several roots deploy has a namespace only where all agree.
 */
export function readKustomize(folders: Iterable<string>, tree: FileTree): Kustomize {
  const known = new Map<string, Kustomization | undefined>()
  const get = (folder: string): Kustomization | undefined => {
    if (!known.has(folder)) known.set(folder, looksLikeFile(folder) ? undefined : readKustomization(folder, tree))
    return known.get(folder)
  }
  const all = reachable(folders, get)
  const placements = new Map<string, Placement>()
  for (const root of rootsOf(all)) place(root, placements, get)
  const fragments = new Set(all.flatMap((kustomization) => kustomization.fragments))
  return {
    isFragment: (path) => fragments.size > 0 && fragments.has(path) && !placements.has(path),
    folders: all.map(({ folder }) => folder),
    deployedBy: (folder) =>
      reachable([folder], get)
        .flatMap(({ resources }) => resources)
        .filter((resource) => !get(resource)),
    placementOf: (path) => placements.get(path),
    unreadable: all.flatMap(({ unreadable }) => unreadable ?? []),
  }
}

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
  return [...all.values()]
}

const looksLikeFile = (path: string): boolean => /\.(?:ya?ml|json)$/i.test(path)

/** Kustomizations that no other one deploys. */
function rootsOf(all: readonly Kustomization[]): readonly Kustomization[] {
  const deployed = new Set(all.flatMap(({ folder, resources }) => resources.filter((resource) => resource !== folder)))
  return all.filter(({ folder }) => !deployed.has(folder))
}

/** Records the placement of everything that a root deploys. Each folder is entered once for each placement. */
function place(root: Kustomization, placements: Map<string, Placement>, get: Get): void {
  const entered = new Set<string>()
  const waiting: { readonly at: Kustomization; readonly placement: Placement }[] = []
  const enter = (at: Kustomization, { namespace, renamed, roots }: Placement) => {
    const own = namespace === undefined ? at.namespace : namespace
    const placement = { namespace: own, renamed: renamed || at.renames, roots }
    const state = JSON.stringify([at.folder, placement])
    if (entered.has(state)) return
    entered.add(state)
    waiting.push({ at, placement })
  }
  enter(root, { namespace: undefined, renamed: false, roots: [root.folder] })
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const resource of next.at.resources) {
      const deeper = get(resource)
      if (deeper) enter(deeper, next.placement)
      else placements.set(resource, merge(placements.get(resource), next.placement))
    }
}

const merge = (known: Placement | undefined, added: Placement): Placement =>
  known === undefined
    ? added
    : {
        namespace: known.namespace === added.namespace ? added.namespace : null,
        renamed: known.renamed || added.renamed,
        roots: [...new Set([...known.roots, ...added.roots])],
      }
