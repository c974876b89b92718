/** Found files to sources: reads those that name a judged kind, with what settings and kustomizations say about them. */

import { posix } from 'node:path'
import { MENTIONS_DEPLOYMENT, withDeployments } from '../../project/deployments.ts'
import type { KustomizationRoot, UnreadableKustomization } from '../../project/kustomizations.ts'
import { withParts } from '../../project/parts.ts'
import type { NotJudged, TextSource } from '../../project/source.ts'
import { MENTIONS, mayHoldObjects } from '../../registry.ts'
import { type Decoded, decodeText } from '../../yaml/decode.ts'
import { createTexts, type Texts } from '../../yaml/documents.ts'
import { describeSystemError, type InputProblem } from '../input-problem.ts'
import { type FoundKustomizations, isFolder, readKustomize } from '../kustomize/kustomization.ts'
import type { FoundPart, PartsOptions } from '../kustomize/parts.ts'
import { type PathTest, shownPath } from '../paths.ts'
import { DISK } from './file-tree.ts'
import type { FoundFile, FoundFiles, LeftOut } from './find-files.ts'
import type { PathSettings } from './path-settings.ts'
import { contentOf, createFileReader, type FileReader, type Pattern } from './read-file.ts'
import { describeUnreadable } from './unreadable.ts'

/** Is called for files as they are read. */
export type FileObserver = {
  /** The bytes of a file that was read whole; valid until the next file. */
  onBytes?(path: string, bytes: Buffer): void
  /** The source of a file that names a judged kind. */
  onSource?(path: string, source: TextSource): void
  readonly onLeftOut?: LeftOut
  /** Is called with the absolute path of each folder in which files are looked for or that a kustomization reads, before it is read. */
  onFolder?(path: string): void
}

/** How found files become sources. */
export type ReadSourcesOptions = {
  readonly cwd: string
  readonly pathSettings: PathSettings
  /** The namespace of manifests that have none. */
  readonly namespace?: string | undefined
  /** Which files are judged; the others are only there to be looked up. Default: all. */
  readonly isJudged?: PathTest
  /** What the settings ignore: nothing is reported in it, even where a kustomization builds on it. */
  readonly isIgnored?: PathTest
  /** Is called before each file is read. */
  readonly onFile?: () => void
  /** Matches a text that may hold an object of a system. Default: {@link MENTIONS}. */
  readonly mentions?: RegExp | undefined
  readonly observer?: FileObserver
  /** What was parsed of texts before. Default: nothing. */
  readonly texts?: Texts
  /** Bytes that stand for those of one file, such as the unsaved text of an editor. */
  readonly overlay?: { readonly path: string; readonly bytes: Buffer } | undefined
  /** How reports name a file of a kustomization. Default: relative to `cwd`. */
  nameOf?(path: string): string
}

/** What was read. */
export type ReadSources = {
  readonly sources: readonly TextSource[]
  /** How many files were read to be judged, whether or not they name a judged kind. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** What may concern policies and is not judged: patches; files that were named and are no YAML. */
  readonly notJudged: readonly NotJudged[]
  /** Kustomizations that cannot be read, by absolute paths, and why. */
  readonly brokenKustomizations: readonly UnreadableKustomization[]
}

/** Reads the files that name a judged kind, and all that their kustomizations build on. Never throws for them. */
export async function readSources(found: FoundKustomizations, options: ReadSourcesOptions): Promise<ReadSources> {
  const { observer, isJudged = () => true, overlay, texts = createTexts() } = options
  const { roots, unreadable } = readKustomize(found, { tree: DISK, texts, onFolder: observer?.onFolder })
  const built = new Set(roots.flatMap(({ files: members }) => [...members]))
  const { sources, deploying, problems, uninteresting, files } = readFound(found, built, options)
  const known = new Set(sources.map(({ file }) => file))
  const broken = { unreadable, judged: found.files.flatMap(({ path, file }) => (known.has(file) ? [path] : [])) }
  const textOf = partReader(problems, options)
  for (const path of built) {
    const { text } = textOf(path) ?? { text: '' }
    if (MENTIONS_DEPLOYMENT.test(text)) deploying.push({ path, text })
  }
  const deployments =
    deploying.length === 0
      ? []
      : (await import('../kustomize/deployments.ts')).readDeployments(deploying, { ...options, texts, tree: DISK })
  const all = withDeployments(roots, deployments)
  const hasParts = all.length + unreadable.length > 0
  const parts = hasParts ? await readPartsOnDisk(all, { found, textOf, broken, ...options }) : []
  const used = new Set(parts.map(({ path }) => path))
  for (const { path, file } of uninteresting) if (!used.has(path)) observer?.onLeftOut?.(path, file, 'no-objects')
  if (hasParts) reportIrrelevant(roots, { named: found.files, isJudged, parts: used, observer })
  const whole = withParts(
    sources,
    parts.map(({ source }) => source),
  )
  const named = new Set(found.files.filter(({ isNamed }) => isNamed).map(({ file }) => file))
  const concern = whole.filter(({ file, text, problem }) => !named.has(file) || problem || mayHoldObjects(text))
  const reported = new Set([...concern, ...parts.map(({ source }) => source), ...problems].map(({ file }) => file))
  const notJudged = found.files.flatMap((one): NotJudged[] => {
    const reason = isJudged(one.path) && !reported.has(one.file) ? whyUnreadable(one, overlay) : undefined
    return reason === undefined ? [] : [{ file: one.file, code: 'unreadable', reason }]
  })
  return { sources: whole, files, problems, notJudged, brokenKustomizations: unreadable }
}

/** What is read of the files that no kustomization builds. */
type ReadFound = Pick<ReadSources, 'files'> & {
  readonly sources: TextSource[]
  /** Those that may hold an object of Flux or Argo CD. */
  readonly deploying: { path: string; text: string }[]
  readonly problems: InputProblem[]
  /** Those that name no object of a system. */
  readonly uninteresting: FoundFile[]
}

function readFound(found: FoundKustomizations, built: ReadonlySet<string>, options: ReadSourcesOptions): ReadFound {
  const { observer, isJudged = () => true, mentions = MENTIONS } = options
  const either = { test: (text: string) => mentions.test(text) || MENTIONS_DEPLOYMENT.test(text) }
  const read = createFileReader(either, { onBytes: observer?.onBytes })
  const sources: TextSource[] = []
  const deploying: { path: string; text: string }[] = []
  const problems: InputProblem[] = []
  const uninteresting: FoundFile[] = []
  let files = 0
  for (const { path, file } of found.files) {
    const judged = isJudged(path)
    if (judged) files += 1
    else observer?.onLeftOut?.(path, file, 'not-named')
    if (built.has(path)) continue
    options.onFile?.()
    const { decoded, problem } = readInteresting(path, either, read, options)
    if (problem !== undefined) problems.push({ file, reason: problem })
    const isDeploying = decoded !== undefined && MENTIONS_DEPLOYMENT.test(decoded.text)
    if (isDeploying) deploying.push({ path, text: decoded.text })
    const isOurs = decoded !== undefined && !(isDeploying && !mentions.test(decoded.text))
    if (judged && !isOurs && problem === undefined) uninteresting.push({ path, file })
    if (!decoded) continue
    const source = { ...toSource({ path, file }, decoded.text, options), ...decoded }
    const own = judged ? source : { ...source, unjudged: true }
    if (isOurs) sources.push(own)
    observer?.onSource?.(path, own)
  }
  return { sources, deploying, problems, uninteresting, files }
}

/** The text of a file in which a pattern matches, or why it cannot be read. */
function readInteresting(
  path: string,
  pattern: Pattern,
  read: FileReader,
  { overlay }: ReadSourcesOptions,
): { readonly decoded?: Decoded; readonly problem?: string } {
  const content = path === overlay?.path ? contentOf(overlay.bytes, pattern) : read(path)
  if (content.type === 'problem') return { problem: content.reason }
  if (content.type === 'uninteresting') return {}
  return { decoded: content.type === 'bytes' ? decodeText(content.bytes) : unreadText(content.reason) }
}

/** Larger files are no manifests that somebody has mistyped. */
const MAX_MISTYPED = 1024 * 1024

/** Why a file that was named, and that names no kind of ours, cannot be read; undefined where it can. */
function whyUnreadable({ path, isNamed }: FoundFile, overlay: ReadSourcesOptions['overlay']): string | undefined {
  if (!isNamed || !/\.(?:ya?ml|json)$/i.test(path)) return undefined
  if (path === overlay?.path) return describeUnreadable(overlay.bytes)
  try {
    return DISK.stat(path).size > MAX_MISTYPED ? undefined : describeUnreadable(DISK.read(path))
  } catch (error) {
    return describeSystemError(error)
  }
}

const ANY = /(?:)/

/** Reads each file of kustomizations once. One that cannot be read is a problem. */
function partReader(problems: InputProblem[], options: ReadSourcesOptions): PartsOptions['textOf'] {
  const { observer, cwd, overlay } = options
  const known = new Map<string, Decoded | undefined>()
  const read = createFileReader(ANY, { onBytes: observer?.onBytes })
  return (path) => {
    if (!known.has(path)) known.set(path, readOne(path))
    return known.get(path)
  }

  function readOne(path: string): Decoded | undefined {
    if (path !== overlay?.path && !(DISK.exists(path) && DISK.stat(path).isFile())) return undefined
    options.onFile?.()
    const content = path === overlay?.path ? contentOf(overlay.bytes, ANY) : read(path)
    if (content.type === 'bytes') return decodeText(content.bytes)
    if (content.type === 'too-large') return unreadText(content.reason)
    if (content.type === 'problem') problems.push({ file: shownPath(path, cwd), reason: content.reason })
    return undefined
  }
}

/** Reads the parts of kustomizations from the disk. */
async function readPartsOnDisk(
  roots: readonly KustomizationRoot[],
  options: ReadSourcesOptions & { readonly found: Pick<FoundFiles, 'files'> } & Pick<PartsOptions, 'broken' | 'textOf'>,
): Promise<readonly FoundPart[]> {
  const { observer, isJudged = () => true, mentions = MENTIONS, found } = options
  const named = new Set(found.files.map(({ path }) => path))
  const { readParts } = await import('../kustomize/parts.ts')
  const parts = await readParts(roots, {
    ...options,
    mentions,
    isJudged: (path) => named.has(path) && isJudged(path),
    namesIn: (path) => (isFolder(path, DISK) ? DISK.list(path).map(({ name }) => name) : []),
  })
  for (const { path, source } of parts) observer?.onSource?.(path, source)
  return parts
}

type Irrelevant = {
  readonly named: FoundFiles['files']
  readonly isJudged: PathTest
  /** The paths of the parts of kustomizations that are built. */
  readonly parts: ReadonlySet<string>
  readonly observer: FileObserver | undefined
}

/** Tells of the files of kustomizations in which no system's object is named. */
function reportIrrelevant(roots: readonly KustomizationRoot[], { named, isJudged, parts, observer }: Irrelevant): void {
  if (!observer?.onLeftOut) return
  for (const { path, file } of named)
    if (isJudged(path) && !parts.has(path) && roots.some(({ files }) => files.has(path)))
      observer.onLeftOut(path, file, 'no-objects')
}

/** Stands for the text of a file that was not read. */
const unreadText = (reason: string): Decoded => ({
  text: '',
  problem: { code: 'unreadable', cause: 'large', reason, start: 0, end: 0 },
})

/** Makes a source of a text. */
export function toSource(
  { path, file }: FoundFile,
  text: string,
  { pathSettings, namespace: fallback }: Pick<ReadSourcesOptions, 'pathSettings' | 'namespace'>,
): TextSource {
  const namespace = { ...(fallback ? { fallback } : {}), sharedBy: `folder ${posix.dirname(file)}` }
  return { file, text, namespace, ...pathSettings(path) }
}
