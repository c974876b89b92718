/** The manifests of a commit of Git (`--base`), found in the same way as those on the disk. */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { Source, TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import { groupBy } from '../../text/group.ts'
import { decodeText } from '../../yaml/decode.ts'
import {
  type Comparison,
  type ComparisonOptions,
  type ComparisonProblem,
  type Previous,
  pathsOnDisk,
  shareUnchanged,
} from '../comparison.ts'
import { DISK } from '../discover/file-tree.ts'
import { type FindFilesOptions, type FoundFile, type FoundFiles, findFiles } from '../discover/find-files.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { loadGlobs } from '../discover/globs.ts'
import { MAX_FILE_BYTES, mentionsIn } from '../discover/read-file.ts'
import { createPathSettings, toSource, withKustomizations } from '../discover/read-sources.ts'
import { readKustomize } from '../kustomize/kustomize.ts'
import { foldersAbove } from '../paths.ts'
import { bytesOnDisk, type CommitTree, createCommitTree } from './commit-tree.ts'
import { type Blobs, createBlobs, createGit, type Git, GitFailure } from './git.ts'
import { listReference } from './reference.ts'

/** Prepares the comparison with a reference. */
export async function openBase(reference: string, options: ComparisonOptions): Promise<Comparison | ComparisonProblem> {
  const repository = findRepository(pathsOnDisk(options.paths), options.cwd)
  if ('problem' in repository) return repository
  const git = createGit(repository.root)
  const listed = await listReference(git, reference)
  if (listed.state === 'problem') return { problem: listed.problem }
  if (listed.state === 'empty') return NO_COMMIT
  const tree = createCommitTree(git.root, listed.listing)
  const current = trackUnchanged(tree)
  return {
    observer: current.observer,
    read: async (sources) => await readBase({ git, tree, current }, sources, options),
  }
}

const NO_COMMIT: Comparison = {
  observer: {},
  read: async () => ({ sources: [], notes: ['the repository has no commit yet, so every object counts as new'] }),
}

/** The one repository that all paths belong to. */
function findRepository(paths: readonly string[], cwd: string): { readonly root: string } | ComparisonProblem {
  const roots = new Set<string>()
  for (const path of paths) {
    const absolute = resolve(cwd, path)
    const existing = [absolute, ...foldersAbove(absolute)].find((folder) => DISK.exists(folder)) ?? cwd
    const folder = DISK.stat(existing).isDirectory() ? existing : dirname(existing)
    const root = repositoryOf(DISK.real(folder), DISK)
    if (root === undefined) return { problem: `--base needs a Git repository, and ${path} is not in one` }
    roots.add(root)
  }
  const [root = cwd, other] = [...roots]
  return other === undefined
    ? { root }
    : { problem: `${root} and ${other} are two repositories: run sluice on each of them` }
}

/** Records which files of the commit are unchanged on the disk while the current version is read. */
function trackUnchanged(tree: CommitTree) {
  const unchanged = new Set<string>()
  const sources = new Map<string, TextSource>()
  return {
    unchanged,
    sources,
    observer: {
      onBytes: (path: string, bytes: Buffer) => {
        const id = tree.idOf(path)
        if (id !== undefined && blobId(bytes, id.length) === id) unchanged.add(path)
      },
      onSource: (path: string, source: TextSource) => void sources.set(path, source),
    },
  }
}

/** The id that Git gives to bytes; repositories with ids of 64 digits use SHA-256. */
const blobId = (bytes: Uint8Array, digits: number): string =>
  createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')

type Base = { readonly git: Git; readonly tree: CommitTree; readonly current: ReturnType<typeof trackUnchanged> }

async function readBase(
  base: Base,
  current: readonly Source[],
  options: ComparisonOptions,
): Promise<Previous | ComparisonProblem> {
  const blobs = createBlobs(base.git, MAX_FILE_BYTES)
  try {
    await loadControlFiles(base.tree, blobs)
    const { sources, unread } = await readFiles(base, blobs, options)
    return {
      sources: sources.map(shareUnchanged(current)),
      notes: unread.map((file) => `${file} of the base cannot be read, so its objects count as new`),
    }
  } catch (error) {
    if (error instanceof GitFailure) return { problem: error.message }
    throw error
  } finally {
    blobs.close()
  }
}

/** Gives the tree the bytes of its control files: from the disk where they are unchanged there, else from Git. */
async function loadControlFiles(tree: CommitTree, blobs: Blobs): Promise<void> {
  const changed = tree.controlFiles.filter((file) => {
    const bytes = bytesOnDisk(file)
    if (!bytes || blobId(bytes, file.id.length) !== file.id) return true
    tree.keep(file.id, bytes)
    return false
  })
  const ids = [...new Set(changed.map(({ id }) => id))]
  await blobs.read(ids, (id, bytes) => tree.keep(id, bytes ?? new Uint8Array()))
}

type ReadFiles = { readonly sources: readonly TextSource[]; readonly unread: readonly string[] }

/** Makes a source of a text. */
type MakeSource = (file: FoundFile, text: string) => TextSource

async function readFiles({ git, tree, current }: Base, blobs: Blobs, options: ComparisonOptions): Promise<ReadFiles> {
  const globs = await loadGlobs(options.paths, options)
  const isExcluded = globs.matchPaths(options.ignores, options.folder)
  const found = findBaseFiles(git.root, { ...options, tree, globs, isExcluded })
  const kustomize = readKustomize(found.kustomizations, tree)
  const pathSettings = withKustomizations(createPathSettings(options, globs), kustomize)
  const makeSource: MakeSource = (file, text) =>
    toSource(file, text, kustomize.placementOf(file.path), { ...options, pathSettings })
  const files = found.files.filter(({ path }) => !kustomize.isFragment(path))
  const changed = files.filter(({ path }) => !current.unchanged.has(path))
  const same = files.flatMap((file) => {
    const known = current.unchanged.has(file.path) ? current.sources.get(file.path) : undefined
    return known ? [makeSource(file, known.text)] : []
  })
  const read = await readChanged(changed, { tree, blobs, makeSource, mentions: options.mentions ?? MENTIONS })
  return { sources: [...same, ...read.sources], unread: read.unread }
}

/**
 * The files that the paths mean in the base. A path that the base does not have may be a file that was renamed since:
 * then the files that are gone from the disk are included.
 */
function findBaseFiles(
  root: string,
  options: FindFilesOptions & Pick<ComparisonOptions, 'paths'>,
): Pick<FoundFiles, 'files' | 'kustomizations'> {
  const paths = pathsOnDisk(options.paths)
  const found = findFiles(paths, options)
  const isNew = (path: string) => !options.tree.exists(path) && DISK.exists(path)
  if (!paths.some((path) => isNew(resolve(options.cwd, path)))) return found
  const all = findFiles([root], options)
  const gone = all.files.filter(({ path }) => !DISK.exists(path))
  return { files: [...found.files, ...gone], kustomizations: all.kustomizations }
}

type ChangedOptions = {
  readonly tree: CommitTree
  readonly blobs: Blobs
  readonly makeSource: MakeSource
  readonly mentions: RegExp
}

/** Reads from Git the files that are not the same on the disk. */
async function readChanged(
  files: readonly FoundFile[],
  { tree, blobs, makeSource, mentions }: ChangedOptions,
): Promise<ReadFiles> {
  const byId = groupBy(files, ({ path }) => tree.idOf(tree.real(path)) ?? '')
  const sources: TextSource[] = []
  const unread: string[] = []
  await blobs.read([...byId.keys()], (id, bytes) => {
    const own = byId.get(id) ?? []
    if (!bytes) unread.push(...own.map(({ file }) => file))
    if (!bytes || !mentionsIn(bytes, bytes.length, mentions)) return
    const { text, problem } = decodeText(bytes)
    if (!problem) for (const file of own) sources.push(makeSource(file, text))
  })
  return { sources, unread }
}
