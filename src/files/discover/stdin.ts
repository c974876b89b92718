/** The standard input as sources. */

import { basename, dirname, join, resolve } from 'node:path'
import type { NotJudged, TextSource } from '../../project/source.ts'
import { MENTIONS, mayHoldObjects } from '../../registry.ts'
import { decodeText } from '../../yaml/decode.ts'
import { describeSystemError, type InputProblem } from '../input-problem.ts'
import { shownPath } from '../paths.ts'
import { DISK, type FileStats, type FileTree, type FolderEntry, MAX_FILE_BYTES } from './file-tree.ts'
import { mentionsIn } from './read-file.ts'
import { describeUnreadable } from './unreadable.ts'

/** How the report names the standard input. */
export const STDIN = '<stdin>'

/** What was read from the standard input. */
export type StdinSources = {
  /** The texts that name a judged kind. */
  readonly sources: readonly TextSource[]
  /** Names of the templates whose text, as Helm has rendered it, is among the sources. */
  readonly rendered: readonly string[]
  /** How many texts were read: one, or one for each template. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** Why there is nothing to judge in it. */
  readonly notJudged: readonly NotJudged[]
}

/** The result where the standard input is not read. */
export const NO_STDIN: StdinSources = { sources: [], rendered: [], files: 0, problems: [], notJudged: [] }

/** How the standard input is read. */
export type StdinOptions = {
  readonly stdin: Iterable<Uint8Array>
  /** The namespace of manifests that have none. */
  readonly namespace: string | undefined
  /** Keeps the input as one text, even where Helm marks its parts: `--fix -` prints it again. */
  readonly isInputWhole?: boolean
  /** Matches a text that may hold an object of a system. Default: {@link MENTIONS}. */
  readonly mentions?: RegExp
}

/** Reads all of it. Texts of Helm's templates are named after them, unless one of the other sources has that name. */
export function readStdin(
  { stdin, namespace, isInputWhole, mentions = MENTIONS }: StdinOptions,
  others: readonly TextSource[],
): StdinSources {
  const bytes = readBytes(stdin)
  if ('reason' in bytes) return { ...NO_STDIN, files: 1, problems: [{ file: STDIN, reason: bytes.reason }] }
  if (!mentionsIn(bytes, bytes.length, mentions)) {
    if (bytes.toString('latin1').trim() === '')
      return nothingOf({ code: 'empty', reason: 'the standard input is empty' })
    const reason = describeUnreadable(bytes)
    return nothingOf(reason === undefined ? undefined : { code: 'unreadable', reason })
  }
  const fallback = namespace === undefined ? {} : { fallback: namespace }
  const hint = { namespace: { ...fallback, sharedBy: STDIN }, together: [STDIN] }
  const whole = { file: STDIN, ...decodeText(bytes), ...hint }
  const reason = whole.problem || mayHoldObjects(whole.text) ? undefined : describeUnreadable(bytes)
  if (reason !== undefined) return nothingOf({ code: 'unreadable', reason })
  const parts = whole.problem || isInputWhole ? [] : splitByTemplate(whole.text, STDIN)
  const taken = new Set(others.map(({ file }) => file))
  if (parts.length === 0 || parts.some(({ file }) => taken.has(file)))
    return { ...NO_STDIN, files: 1, sources: [whole] }
  const sources = parts.filter(({ text }) => mentions.test(text)).map((part) => ({ ...part, ...hint }))
  const rendered = sources.map(({ file }) => file).filter((file) => file !== STDIN)
  return { ...NO_STDIN, files: parts.length, sources, rendered }
}

/** A standard input without anything to judge, and why. */
const nothingOf = (why: Pick<NotJudged, 'code' | 'reason'> | undefined): StdinSources => ({
  ...NO_STDIN,
  files: 1,
  notJudged: why ? [{ file: STDIN, ...why }] : [],
})

/** All bytes of a stream, or why they cannot be read. */
export function readBytes(chunks: Iterable<Uint8Array>): Buffer | { readonly reason: string } {
  const parts: Uint8Array[] = []
  let length = 0
  try {
    for (const chunk of chunks) {
      length += chunk.length
      if (length > MAX_FILE_BYTES) return { reason: 'more than 64 MiB; split it' }
      parts.push(chunk)
    }
  } catch (error) {
    return { reason: describeSystemError(error) }
  }
  return Buffer.concat(parts)
}

/** The text that one template was rendered to. */
export type RenderedTemplate = { readonly file: string; readonly text: string }

/** Helm prints this above every document. */
const HEADING = /^---[^\S\n]*\r?\n# Source: ([^\n]+)/

/**
 * What no path within a chart has, which begins with the chart's name, leads nowhere else and holds no control characters.
 * Looking for that keeps nothing of a path, however long it is.
 */
const NO_TEMPLATE = /^(?:[./]|[^/]*(?:[\s:]|$))|\/(?:\/|$|\.{1,2}(?:\/|$))|[\\\p{Cc}]/u

/**
 * Splits a stream by its `# Source:` comments. The text of a template is what `helm template --show-only` prints, so
 * lines count in that. Documents without such a comment keep the stream's name and their lines in it. Empty where no
 * document has such a comment.
 */
export function splitByTemplate(stream: string, name: string): readonly RenderedTemplate[] {
  const texts = new Map<string, string>()
  let rest = ''
  for (const piece of stream.split(/^(?=---)/m)) {
    const file = HEADING.exec(piece)?.[1]?.trimEnd() ?? ''
    const isNamed = !NO_TEMPLATE.test(file)
    if (isNamed) texts.set(file, (texts.get(file) ?? '') + piece)
    rest += isNamed ? emptyLines(piece) : piece
  }
  if (texts.size === 0) return []
  const parts = [...texts].map(([file, text]) => ({ file, text }))
  return rest.trim() === '' ? parts : [...parts, { file: name, text: rest }]
}

/** As many line breaks as the piece has, so that what follows keeps its line numbers. */
const emptyLines = (piece: string): string => '\n'.repeat(piece.split('\n').length - 1)

/** A file whose bytes are not those on the disk. */
export type Overlay = {
  /** Absolute; no folder in it is a link. */
  readonly path: string
  readonly bytes: Buffer
  /** The disk with the file on it. */
  readonly tree: FileTree
  /** Why the standard input cannot be read. */
  readonly problems: readonly InputProblem[]
}

/** Reads the standard input as the text of a file. */
export function readOverlay(
  name: string,
  { cwd, stdin }: { readonly cwd: string; readonly stdin: Iterable<Uint8Array> },
): Overlay {
  const named = resolve(cwd, name)
  const folder = DISK.exists(dirname(named)) ? DISK.real(dirname(named)) : dirname(named)
  const path = join(folder, basename(named))
  const read = readBytes(stdin)
  const isThere = DISK.exists(path)
  const tree: FileTree = isThere ? DISK : withFile(folder, path, named)
  if (!('reason' in read)) return { path, bytes: read, tree, problems: [] }
  return { path, bytes: Buffer.alloc(0), tree, problems: [{ file: shownPath(named, cwd), reason: read.reason }] }
}

const A_FILE = {
  isDirectory: () => false,
  isFile: () => true,
  isSymbolicLink: () => false,
  isFIFO: () => false,
  isSocket: () => false,
}

/** The disk with one more file, which goes by its path and by the name that the user gave it. */
function withFile(folder: string, path: string, named: string): FileTree {
  const is = (other: string): boolean => other === path || other === named
  const stats: FileStats = { ...A_FILE, size: 0 }
  const entry: FolderEntry = { ...A_FILE, name: basename(path) }
  return {
    ...DISK,
    exists: (other) => is(other) || DISK.exists(other),
    stat: (other) => (is(other) ? stats : DISK.stat(other)),
    real: (other) => (is(other) ? path : other === dirname(named) ? folder : DISK.real(other)),
    list: (other) => (other === folder ? [...DISK.list(other), entry] : DISK.list(other)),
  }
}
