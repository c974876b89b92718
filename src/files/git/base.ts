/** The manifests of a commit of Git (`--base`), found in the same way as those on the disk. */
import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { type DeploymentRoot, MENTIONS_DEPLOYMENT, withDeployments } from '../../project/deployments.ts'
import { withParts } from '../../project/parts.ts'
import type { Source, TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import { groupBy } from '../../text/group.ts'
import { type Decoded, decodeText } from '../../yaml/decode.ts'
import { createTexts } from '../../yaml/documents.ts'
import {
  type Comparison,
  type ComparisonOptions,
  type ComparisonProblem,
  type Previous,
  pathsOnDisk,
  shareUnchanged,
} from '../comparison.ts'
import { DISK, MAX_FILE_BYTES } from '../discover/file-tree.ts'
import { type FindFilesOptions, findFiles } from '../discover/find-files.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { loadGlobs } from '../discover/globs.ts'
import { createPathSettings } from '../discover/path-settings.ts'
import { toSource } from '../discover/read-sources.ts'
import { type FoundKustomizations, readKustomize } from '../kustomize/kustomization.ts'
import { foldersAbove, shownPath } from '../paths.ts'
import { bytesOnDisk, type CommitTree, createCommitTree } from './commit-tree.ts'
import { type Blobs, createBlobs, createGit, type Git, GitFailure } from './git.ts'
import { listReference, partialCloneHint } from './reference.ts'

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
    const hint = unread.length === 0 ? undefined : await partialCloneHint(base.git)
    return {
      sources: sources.map(shareUnchanged(current)),
      notes: unread.map(
        (file) => `${file} of the base cannot be read, so its objects count as new${hint ? `: ${hint}` : ''}`,
      ),
    }
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error
    const hint = await partialCloneHint(base.git)
    return { problem: `${error.message}${hint ? `: ${hint}` : ''}` }
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

async function readFiles({ git, tree, current }: Base, blobs: Blobs, options: ComparisonOptions): Promise<ReadFiles> {
  const globs = await loadGlobs(options.paths, options)
  const pathSettings = createPathSettings(options, globs)
  const isExcluded = globs.matchPaths(options.ignores, options.folder)
  const found = findBaseFiles(git.root, { ...options, tree, globs, isExcluded })
  const { roots } = readKustomize(found, { tree, texts: options.texts ?? createTexts() })
  const built = new Set(roots.flatMap(({ files }) => [...files]))
  const plain = found.files.filter(({ path }) => !built.has(path))
  // What is unchanged, and had nothing of interest in the current version, is not read again.
  const needed = plain.filter(({ path }) => !current.unchanged.has(path) || current.sources.has(path))
  const named = new Set(found.files.map(({ path }) => path))
  const members = [...built].filter((path) => tree.exists(path) && tree.stat(path).isFile())
  const { texts, unread } = await readTexts([...needed.map(({ path }) => path), ...members], { tree, blobs, current })
  const { mentions = MENTIONS, cwd } = options
  const deployed = await deployedBy(texts, { tree, blobs, current, ...options })
  const all = withDeployments(roots, deployed.roots)
  const sources = needed.flatMap((file) => {
    const read = texts.get(file.path)
    return read && !read.problem && mentions.test(read.text)
      ? [toSource(file, read.text, { ...options, pathSettings })]
      : []
  })
  const ours = new Set(sources.map(({ file }) => file))
  const parts =
    all.length === 0
      ? []
      : await (await import('../kustomize/parts.ts')).readParts(all, {
          ...options,
          pathSettings,
          mentions,
          isIgnored: isExcluded,
          isJudged: (path) => named.has(path),
          broken: { unreadable: [], judged: needed.flatMap(({ path, file }) => (ours.has(file) ? [path] : [])) },
          textOf: (path) => texts.get(path) ?? deployed.texts.get(path),
        })
  const shown = unread.map((path) => shownPath(path, cwd))
  const whole = withParts(
    sources,
    parts.map(({ source }) => source),
  )
  return { sources: [...whole], unread: shown }
}

type Deployed = Omit<Texts, 'unread'> & { readonly roots: readonly DeploymentRoot[] }

/** What the objects of Flux and Argo CD in texts deploy, and the texts of that. */
async function deployedBy(
  texts: Texts['texts'],
  options: Pick<Base, 'tree' | 'current'> & ComparisonOptions & { readonly blobs: Blobs },
): Promise<Deployed> {
  const { tree } = options
  const given = [...texts]
    .filter(([, { text }]) => MENTIONS_DEPLOYMENT.test(text))
    .map(([path, { text }]) => ({ path, text }))
  if (given.length === 0) return { roots: [], texts: new Map() }
  const { readDeployments } = await import('../kustomize/deployments.ts')
  const roots = readDeployments(given, { tree, cwd: options.cwd, texts: options.texts ?? createTexts() })
  const deploying = new Set(given.map(({ path }) => path))
  const files = new Set(roots.flatMap(({ files }) => [...files]))
  const paths = [...files].filter((path) => !deploying.has(path) && tree.exists(path) && tree.stat(path).isFile())
  return { roots, texts: (await readTexts(paths, options)).texts }
}

/**
 * The files that the paths mean in the base. A path that the base does not have may be a file that was renamed since:
 * then the files that are gone from the disk are included.
 */
function findBaseFiles(
  root: string,
  options: FindFilesOptions & Pick<ComparisonOptions, 'paths'>,
): FoundKustomizations {
  const paths = pathsOnDisk(options.paths)
  const found = findFiles(paths, options)
  const isNew = (path: string) => !options.tree.exists(path) && DISK.exists(path)
  if (!paths.some((path) => isNew(resolve(options.cwd, path)))) return found
  const all = findFiles([root], options)
  const gone = all.files.filter(({ path }) => !DISK.exists(path))
  return { ...all, files: [...found.files, ...gone] }
}

type Texts = { readonly texts: ReadonlyMap<string, Decoded>; readonly unread: readonly string[] }

/** The texts of files of the base: from the current version where they are unchanged there, else from Git. */
async function readTexts(
  paths: readonly string[],
  { tree, blobs, current }: Pick<Base, 'tree' | 'current'> & { readonly blobs: Blobs },
): Promise<Texts> {
  const texts = new Map<string, Decoded>()
  const unread: string[] = []
  const changed = paths.filter((path) => {
    if (!current.unchanged.has(path)) return true
    const { text, problem } = current.sources.get(path) ?? decodeText(DISK.read(path))
    texts.set(path, { text, ...(problem ? { problem } : {}) })
    return false
  })
  const byId = groupBy(changed, (path) => tree.idOf(tree.real(path)) ?? '')
  await blobs.read([...byId.keys()], (id, bytes) => {
    for (const path of byId.get(id) ?? []) {
      if (bytes) texts.set(path, decodeText(bytes))
      else unread.push(path)
    }
  })
  return { texts, unread }
}
