/** Found files to sources: reads those that name a judged kind, with what settings and kustomizations say about them. */

import { dirname, join, posix, relative } from 'node:path'
import type { NamespaceHint, TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import type { Override, Severities, WorldPaths } from '../../settings/settings.ts'
import { compareText } from '../../text/order.ts'
import { type Decoded, decodeText } from '../../yaml/decode.ts'
import type { InputProblem } from '../input-problem.ts'
import { type Kustomize, type Placement, readKustomize } from '../kustomize/kustomize.ts'
import { type PathTest, withSlashes } from '../paths.ts'
import { DISK } from './file-tree.ts'
import type { FoundFile, FoundFiles, LeftOut } from './find-files.ts'
import type { Globs } from './globs.ts'
import { contentOf, createFileReader } from './read-file.ts'

/** What the settings say about a file, by its absolute path: its worlds, and severities of its own. */
export type PathSettings = (path: string) => Pick<TextSource, 'rules'> & { readonly world?: readonly string[] }

/** The settings about paths. */
export type PathSettingsOptions = {
  /** The folder that globs are relative to. */
  readonly folder: string
  readonly worlds: readonly WorldPaths[]
  readonly overrides: readonly Override[]
  /** Severities of the command line: they take precedence over every override. */
  readonly rules: Severities
}

/** Prepares {@link PathSettings}. Files to which the same overrides apply share one object of severities. */
export function createPathSettings(
  { folder, worlds, overrides, rules }: PathSettingsOptions,
  { matchPaths }: Pick<Globs, 'matchPaths'>,
): PathSettings {
  const worldTests = worlds.map(({ name, paths }) => ({ name, matches: matchPaths(paths, folder) }))
  const overrideTests = overrides.map((override) => ({ ...override, matches: matchPaths(override.files, folder) }))
  const shared = new Map<string, Severities>()
  const severitiesOf = (path: string): Severities | undefined => {
    const applying = overrideTests.filter(({ matches }) => matches(path))
    if (applying.length === 0) return undefined
    const key = applying.map((override) => overrideTests.indexOf(override)).join()
    const known = shared.get(key) ?? Object.assign({}, ...applying.map((override) => override.rules), rules)
    shared.set(key, known)
    return known
  }
  return (path) => {
    const names = worldTests.filter(({ matches }) => matches(path)).map(({ name }) => name)
    const own = severitiesOf(path)
    return { ...(names.length > 0 ? { world: names } : {}), ...(own ? { rules: own } : {}) }
  }
}

/** A kustomization that belongs to a world takes along what it deploys. */
export function withKustomizations(pathSettings: PathSettings, kustomize: Kustomize): PathSettings {
  const worlds = new Map<string, Set<string>>()
  for (const folder of kustomize.folders) {
    const { world = [] } = pathSettings(join(folder, 'kustomization.yaml'))
    if (world.length === 0) continue
    for (const path of kustomize.deployedBy(folder)) worlds.set(path, new Set([...(worlds.get(path) ?? []), ...world]))
  }
  if (worlds.size === 0) return pathSettings
  return (path) => {
    const own = pathSettings(path)
    const taken = worlds.get(path)
    return taken ? { ...own, world: [...new Set([...(own.world ?? []), ...taken])].sort(compareText) } : own
  }
}

/** Is called for files as they are read. */
export type FileObserver = {
  /** The bytes of a file that was read whole; valid until the next file. */
  onBytes?(path: string, bytes: Buffer): void
  /** The source of a file that names a judged kind. */
  onSource?(path: string, source: TextSource): void
  readonly onLeftOut?: LeftOut
  /** Is called with the absolute path of each folder in which files are looked for, before it is read. */
  onFolder?(path: string): void
}

/** How found files become sources. */
export type ReadSourcesOptions = {
  readonly pathSettings: PathSettings
  /** The namespace of manifests that have none. */
  readonly namespace?: string | undefined
  /** Which files are judged; the others are only there to be looked up. Default: all. */
  readonly isJudged?: PathTest
  /** Is called before each file is read. */
  readonly onFile?: () => void
  /** Matches a text that may hold an object of a system. Default: {@link MENTIONS}. */
  readonly mentions?: RegExp | undefined
  readonly observer?: FileObserver
  /** Bytes that stand for those of one file, such as the unsaved text of an editor. */
  readonly overlay?: { readonly path: string; readonly bytes: Buffer } | undefined
}

/** What was read. */
export type ReadSources = {
  readonly sources: readonly TextSource[]
  /** How many files were read to be judged, whether or not they name a judged kind. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** Absolute paths of kustomizations that cannot be read. */
  readonly brokenKustomizations: readonly string[]
}

/** Reads the files that name a judged kind. Does not throw for what is wrong with them. */
export function readSources(
  found: Pick<FoundFiles, 'files' | 'kustomizations'>,
  options: ReadSourcesOptions,
): ReadSources {
  const kustomize = readKustomize(found.kustomizations, DISK)
  const pathSettings = withKustomizations(options.pathSettings, kustomize)
  const { observer, isJudged = () => true, mentions = MENTIONS, overlay } = options
  const read = createFileReader(mentions, { onBytes: observer?.onBytes })
  const sources: TextSource[] = []
  const problems: InputProblem[] = []
  let files = 0
  for (const { path, file } of found.files) {
    if (kustomize.isFragment(path)) {
      observer?.onLeftOut?.(path, file, 'patch')
      continue
    }
    const judged = isJudged(path)
    if (judged) files += 1
    else observer?.onLeftOut?.(path, file, 'not-named')
    options.onFile?.()
    const content = path === overlay?.path ? contentOf(overlay.bytes, mentions) : read(path)
    if (judged && content.type === 'uninteresting') observer?.onLeftOut?.(path, file, 'no-objects')
    if (content.type === 'problem') problems.push({ file, reason: content.reason })
    if (content.type === 'problem' || content.type === 'uninteresting') continue
    const decoded = content.type === 'bytes' ? decodeText(content.bytes) : unreadText(content.reason)
    const placed = toSource({ path, file }, decoded.text, kustomize.placementOf(path), { ...options, pathSettings })
    const source = { ...placed, ...decoded, ...(judged ? {} : { unjudged: true }) }
    sources.push(source)
    observer?.onSource?.(path, source)
  }
  return { sources, files, problems, brokenKustomizations: kustomize.unreadable }
}

/** Stands for the text of a file that was not read. */
const unreadText = (reason: string): Decoded => ({
  text: '',
  problem: { code: 'unreadable', reason, start: 0, end: 0 },
})

/** Makes a source of a text; `placement` is what the kustomizations say about its file. */
export function toSource(
  { path, file }: FoundFile,
  text: string,
  placement: Placement | undefined,
  { pathSettings, namespace: fallback }: Pick<ReadSourcesOptions, 'pathSettings' | 'namespace'>,
): TextSource {
  const override = placement?.namespace
  const folder = posix.dirname(file)
  /** As the report would name them, so that they have the same names in an earlier version that is elsewhere. */
  const roots = placement?.roots.map((root) => posix.join(folder, withSlashes(relative(dirname(path), root))))
  const namespace: NamespaceHint = {
    ...(override ? { override } : {}),
    ...(fallback ? { fallback } : {}),
    sharedBy: roots ? `kustomization ${roots.join()}` : `folder ${folder}`,
  }
  // In an unknown namespace, lookups by it would be as wrong as those by a name that kustomize changes.
  const renamed = placement?.renamed || override === null
  return {
    file,
    text,
    namespace,
    ...(roots ? { together: roots } : {}),
    ...(renamed ? { renamed } : {}),
    ...pathSettings(path),
  }
}
