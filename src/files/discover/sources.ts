/** Found files to sources: read, told apart from what nobody judges, and placed in their surroundings. */

import type { NamespaceHint, TextSource } from '../../project/source.ts'
import { MENTIONS } from '../../registry.ts'
import { type Decoded, decodeText } from '../../yaml/decode.ts'
import { type Placement, readKustomize } from '../kustomize/kustomize.ts'
import type { InputProblem } from '../problem.ts'
import type { Surroundings } from './path-settings.ts'
import type { PathTest } from './patterns.ts'
import { createFileReader } from './read-file.ts'
import { DISK } from './tree.ts'
import type { Found, FoundFile } from './walk.ts'

export type ReadOptions = {
  /** What the settings say of a file by its path. */
  readonly surroundings: Surroundings
  /** The namespace of manifests that name none. */
  readonly namespace?: string | undefined
  /** Which files are judged; the others are only looked up in. Default: all. */
  readonly isJudged?: PathTest
  /** Hears of every file before it is read. */
  readonly onFile?: () => void
  /** Hears of every file when it has been read. */
  readonly watch?: Watch
}

/** What hears of files. */
export type Watch = {
  /** The bytes of a file that was read whole; valid until the next one. */
  bytes?(path: string, bytes: Buffer): void
  /** What became of them, where they name a judged kind. */
  source?(path: string, source: TextSource): void
}

/** What was read. */
export type Sources = {
  readonly sources: readonly TextSource[]
  /** Files that were looked into, to judge them. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** Absolute paths of kustomizations that cannot be read. */
  readonly brokenKustomizations: readonly string[]
}

/** Reads the files that name a judged kind. */
export function readSources(found: Pick<Found, 'files' | 'kustomizations'>, options: ReadOptions): Sources {
  const kustomize = readKustomize(found.kustomizations, DISK)
  const { watch, isJudged = () => true } = options
  const read = createFileReader(MENTIONS, { onBytes: watch?.bytes })
  const sources: TextSource[] = []
  const problems: InputProblem[] = []
  let files = 0
  for (const { path, file } of found.files) {
    if (kustomize.isFragment(path)) continue
    const judged = isJudged(path)
    if (judged) files += 1
    options.onFile?.()
    const content = read(path)
    if (content.type === 'problem') problems.push({ file, reason: content.reason })
    if (content.type === 'problem' || content.type === 'uninteresting') continue
    const decoded = content.type === 'bytes' ? decodeText(content.bytes) : withoutText(content.reason)
    const placed = toSource({ path, file }, decoded.text, kustomize.placementOf(path), options)
    const source = { ...placed, ...decoded, ...(judged ? {} : { unjudged: true }) }
    sources.push(source)
    watch?.source?.(path, source)
  }
  return { sources, files, problems, brokenKustomizations: kustomize.unreadable }
}

/** A file of which nothing was read. */
export const withoutText = (reason: string): Decoded => ({
  text: '',
  problem: { code: 'unreadable', reason, start: 0, end: 0 },
})

/** Places a text in its surroundings; `placement` is what the kustomizations say of it. */
export function toSource(
  { path, file }: FoundFile,
  text: string,
  placement: Placement | undefined,
  { surroundings, namespace: fallback }: Pick<ReadOptions, 'surroundings' | 'namespace'>,
): TextSource {
  const override = placement?.namespace
  const namespace: NamespaceHint = { ...(override ? { override } : {}), ...(fallback ? { fallback } : {}) }
  // A namespace that nobody knows makes look-ups by it as wrong as a changed name does.
  const renamed = placement?.renamed || override === null
  return {
    file,
    text,
    ...(override || fallback ? { namespace } : {}),
    ...(renamed ? { renamed } : {}),
    ...surroundings(path),
  }
}
