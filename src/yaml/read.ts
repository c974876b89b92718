/** Text to objects: the documents of a file, as `kubectl` would read them. */

import { readPlain } from './fast/plain.ts'
import { type Constructed, construct } from './parse/construct.ts'
import { parseJson } from './parse/json.ts'
import { MOST_PROBLEMS, problemOfWhole } from './parse/problem.ts'
import { type Piece, splitDocuments } from './parse/split.ts'
import { parseYaml } from './parse/yaml.ts'
import type { TextProblem } from './view.ts'

/** One YAML or JSON document of a file. */
export type TextDocument = {
  /** UTF-16 offsets of the document within the file's text. */
  readonly start: number
  readonly end: number
  /** What it says; undefined where it cannot be read. */
  readonly value: unknown
  readonly problems: readonly TextProblem[]
  /** How it was read; `yaml` unless said otherwise. */
  readonly format?: 'yaml' | 'json'
  /** True where the fast reader of plain manifests has read it. */
  readonly isPlain?: boolean
}

/** How to read. */
export type ReadOptions = {
  /** Documents whose text does not match are passed over, however broken they are. */
  readonly mentions: RegExp
}

/** UTF-16 units that a document may have. The API server takes 3 MiB, a List on disk may hold more. */
export const MAX_DOCUMENT_LENGTH = 16 * 1024 * 1024

/** Reads the documents of a file that mention what is looked for. Never throws. */
export function readDocuments(text: string, { mentions }: ReadOptions): readonly TextDocument[] {
  if (text.search(mentions) === -1) return []
  const pieces = splitDocuments(text)
  const isRead = pieces.map(({ start, end }) => pieces.length === 1 || text.slice(start, end).search(mentions) !== -1)
  return pieces.flatMap((piece, index) => {
    if (!isRead[index]) return []
    // What is wrong with a separator is said of the document after it, or of the one before where that is passed over.
    const next = isRead[index + 1] ? undefined : pieces[index + 1]?.problem
    const problems = [piece.problem, next].filter((problem) => problem !== undefined)
    return readPiece(text, piece, problems) ?? []
  })
}

/** Reads one document; undefined where it says nothing and nothing is wrong with it, as kubectl passes it over. */
function readPiece(text: string, piece: Piece, around: readonly TextProblem[]): TextDocument | undefined {
  const { start, end, format } = piece
  const { value, problems: within, isPlain = false } = readContent(text, piece)
  const problems = [...around, ...within].slice(0, MOST_PROBLEMS)
  const isEmpty = value === undefined || value === null
  return isEmpty && problems.length === 0 ? undefined : { start, end, value, problems, format, isPlain }
}

/** Reads what stands at a document's place, however its file is cut. Never throws. */
export function readContent(
  text: string,
  { start, end, format }: Omit<Piece, 'problem'>,
): Constructed & { readonly isPlain?: boolean } {
  if (end - start > MAX_DOCUMENT_LENGTH)
    return { value: undefined, problems: [problemOfWhole('unreadable', 'larger than 16 MiB', { text, start, end })] }
  const plain = format === 'yaml' ? readPlain(text, start, end) : undefined
  if (plain !== undefined) return { value: plain, problems: [], isPlain: true }
  const { root, problems } = format === 'json' ? parseJson(text, start, end) : parseYaml(text, start, end)
  if (root === undefined) return { value: undefined, problems }
  const constructed = construct(root)
  return { value: constructed.value, problems: [...constructed.problems, ...problems] }
}
