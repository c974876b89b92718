/** The manifests of a commit of Git, found by the rules by which those on the disk are found. */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import type { Source, TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import { decodeText } from '../../yaml/decode.ts'
import { type CollectOptions, collectFiles } from '../discover/collect.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { loadGlobs } from '../discover/load-globs.ts'
import { createSurroundings } from '../discover/path-settings.ts'
import { MAX_FILE_BYTES, mentionsIn } from '../discover/read-file.ts'
import { toSource } from '../discover/sources.ts'
import { DISK } from '../discover/tree.ts'
import type { FoundFile } from '../discover/walk.ts'
import { readKustomize } from '../kustomize/kustomize.ts'
import { foldersAbove } from '../paths.ts'
import {
  type Comparison,
  type ComparisonOptions,
  type Previous,
  pathsOnDisk,
  type Refusal,
  shareWith,
} from '../previous.ts'
import { type Blobs, createBlobs, GitFailure } from './blobs.ts'
import { createGit, type Git } from './git.ts'
import { listReference } from './reference.ts'
import { bytesOnDisk, createGitTree, type GitTree } from './tree.ts'

/** Prepares the comparison with a reference. */
export async function openBase(reference: string, options: ComparisonOptions): Promise<Comparison | Refusal> {
  const repository = findRepository(pathsOnDisk(options.paths), options.cwd)
  if ('problem' in repository) return repository
  const git = createGit(repository.root)
  const listed = await listReference(git, reference)
  if (listed.state === 'refused') return { problem: listed.problem }
  if (listed.state === 'empty') return NOTHING_YET
  const tree = createGitTree(git.root, listed.listing)
  const today = createMemory(tree)
  return { watch: today.watch, read: async (sources) => await readBase({ git, tree, today }, sources, options) }
}

const NOTHING_YET: Comparison = {
  watch: {},
  read: async () => ({ sources: [], notes: ['the repository has no commit yet, so every object counts as new'] }),
}

/** The one repository in which all paths lie. */
function findRepository(paths: readonly string[], cwd: string): { readonly root: string } | Refusal {
  const roots = new Set<string>()
  for (const path of paths) {
    const absolute = resolve(cwd, path)
    const there = [absolute, ...foldersAbove(absolute)].find((folder) => DISK.exists(folder)) ?? cwd
    const folder = DISK.stat(there).isDirectory() ? there : dirname(there)
    const root = repositoryOf(DISK.real(folder), DISK)
    if (root === undefined) return { problem: `--base needs a Git repository, and ${path} is in none` }
    roots.add(root)
  }
  const [root = cwd, other] = [...roots]
  return other === undefined ? { root } : { problem: `${root} and ${other} are two repositories: lint them one by one` }
}

/** What the disk holds today of a commit's files. */
function createMemory(tree: GitTree) {
  const unchanged = new Set<string>()
  const sources = new Map<string, TextSource>()
  return {
    unchanged,
    sources,
    watch: {
      bytes: (path: string, bytes: Buffer) => {
        const id = tree.idOf(path)
        if (id !== undefined && blobId(bytes, id.length) === id) unchanged.add(path)
      },
      source: (path: string, source: TextSource) => void sources.set(path, source),
    },
  }
}

/** The id that Git gives to bytes; repositories with ids of 64 digits use SHA-256. */
const blobId = (bytes: Uint8Array, digits: number): string =>
  createHash(digits === 64 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')

type Base = { readonly git: Git; readonly tree: GitTree; readonly today: ReturnType<typeof createMemory> }

async function readBase(base: Base, today: readonly Source[], options: ComparisonOptions): Promise<Previous | Refusal> {
  const blobs = createBlobs(base.git, MAX_FILE_BYTES)
  try {
    await keepGuides(base.tree, blobs)
    const { sources, unread } = await readFiles(base, blobs, options)
    return {
      sources: sources.map(shareWith(today)),
      notes: unread.map((file) => `the base's ${file} cannot be read, so its objects count as new`),
    }
  } catch (error) {
    if (error instanceof GitFailure) return { problem: error.message }
    throw error
  } finally {
    blobs.close()
  }
}

/** Gives the tree the bytes of what decides on other files; what is unchanged on the disk is not asked of Git. */
async function keepGuides(tree: GitTree, blobs: Blobs): Promise<void> {
  const changed = tree.guides.filter((guide) => {
    const bytes = bytesOnDisk(guide)
    if (!bytes || blobId(bytes, guide.id.length) !== guide.id) return true
    tree.keep(guide.id, bytes)
    return false
  })
  const ids = [...new Set(changed.map(({ id }) => id))]
  await blobs.read(ids, (id, bytes) => tree.keep(id, bytes ?? new Uint8Array()))
}

type ReadFiles = { readonly sources: readonly TextSource[]; readonly unread: readonly string[] }

/** Gives a text its place among the sources. */
type Placing = (file: FoundFile, text: string) => TextSource

async function readFiles({ git, tree, today }: Base, blobs: Blobs, options: ComparisonOptions): Promise<ReadFiles> {
  const globs = await loadGlobs(options.paths, options)
  const surroundings = createSurroundings(options, globs)
  const isLeftOut = globs.matchPaths(options.ignores, options.folder)
  const found = findFiles(tree, git.root, { ...options, tree, globs, isLeftOut })
  const kustomize = readKustomize(found.kustomizations, tree)
  const place: Placing = (file, text) =>
    toSource(file, text, kustomize.placementOf(file.path), { ...options, surroundings })
  const files = found.files.filter(({ path }) => !kustomize.isFragment(path))
  const changed = files.filter(({ path }) => !today.unchanged.has(path))
  const same = files.flatMap((file) => {
    const known = today.unchanged.has(file.path) ? today.sources.get(file.path) : undefined
    return known ? [place(file, known.text)] : []
  })
  const read = await readChanged(changed, tree, blobs, place)
  return { sources: [...same, ...read.sources], unread: read.unread }
}

/**
 * The files that the paths mean in the base. Where a path is named that the base does not have, it may be another one,
 * renamed: then those that are gone from the disk are looked at too.
 */
function findFiles(tree: GitTree, root: string, options: CollectOptions & Pick<ComparisonOptions, 'paths'>) {
  const paths = pathsOnDisk(options.paths)
  const found = collectFiles(paths, options)
  const isNew = (path: string) => !tree.exists(path) && DISK.exists(path)
  if (!paths.some((path) => isNew(resolve(options.cwd, path)))) return found
  const all = collectFiles([root], options)
  const gone = all.files.filter(({ path }) => !DISK.exists(path))
  return { files: [...found.files, ...gone], kustomizations: all.kustomizations }
}

/** Reads the files that are not as they were. */
async function readChanged(
  files: readonly FoundFile[],
  tree: GitTree,
  blobs: Blobs,
  place: Placing,
): Promise<ReadFiles> {
  const wanted = new Map<string, FoundFile[]>()
  for (const file of files) {
    const id = tree.idOf(tree.real(file.path)) ?? ''
    wanted.set(id, [...(wanted.get(id) ?? []), file])
  }
  const sources: TextSource[] = []
  const unread: string[] = []
  await blobs.read([...wanted.keys()], (id, bytes) => {
    const own = wanted.get(id) ?? []
    if (!bytes) unread.push(...own.map(({ file }) => file))
    if (!bytes || !mentionsIn(bytes, bytes.length, MENTIONS)) return
    const { text, problem } = decodeText(bytes)
    if (!problem) for (const file of own) sources.push(place(file, text))
  })
  return { sources, unread }
}
