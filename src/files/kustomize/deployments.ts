/** The Kustomizations of Flux and the Applications of Argo CD on the disk or in a commit: what their folders hold. */
import { dirname, join, resolve, sep } from 'node:path'
import { type DeploymentRoot, deploymentsIn } from '../../project/deployments.ts'
import { onceEach } from '../../project/kustomizations.ts'
import type { Texts } from '../../yaml/documents.ts'
import type { FileTree } from '../discover/file-tree.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { systemErrorCode } from '../input-problem.ts'
import { foldersAbove, type PathTest } from '../paths.ts'
import { isFolder, readKustomization } from './kustomization.ts'

/** Where they are read. */
type ReadDeploymentsOptions = {
  readonly tree: FileTree
  readonly texts: Texts
  readonly cwd: string
  /** Files and folders that are left out. */
  readonly isIgnored?: PathTest | undefined
}

/** Reads what the objects in texts deploy. Paths are absolute. */
export function readDeployments(
  given: readonly { readonly path: string; readonly text: string }[],
  { tree, texts, cwd, isIgnored = () => false }: ReadDeploymentsOptions,
): readonly DeploymentRoot[] {
  if (given.length === 0) return []
  return deploymentsIn(given, {
    texts,
    get: onceEach((folder) => readKustomization(folder, { tree, texts })),
    resolve,
    isFolder: (path) => isFolder(path, tree),
    namesIn: (folder) =>
      (isFolder(folder, tree) ? tree.list(folder) : []).flatMap(({ name }) =>
        isIgnored(join(folder, name)) ? [] : [name],
      ),
    topsOf(file) {
      const top = repositoryOf(dirname(file), tree)
      // What is a repository elsewhere may be a folder of this one.
      const outer = top ?? (file.startsWith(cwd + sep) ? cwd : dirname(file))
      return [...foldersAbove(file, outer)].reverse()
    },
    addressesOf: (file) => addressesOf(repositoryOf(dirname(file), tree), tree),
  })
}

const REMOTE_URL = /^url\s*=\s*(\S+)$/

/** The addresses of the remotes of a repository. */
function addressesOf(top: string | undefined, tree: FileTree): readonly string[] {
  const config = top === undefined ? undefined : join(top, '.git', 'config')
  try {
    if (config === undefined || !tree.exists(config)) return []
    const lines = new TextDecoder().decode(tree.read(config)).split('\n')
    return lines.flatMap((line) => REMOTE_URL.exec(line.trim())?.[1] ?? [])
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return []
  }
}
