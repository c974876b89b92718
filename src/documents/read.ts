/** Text to objects: the documents of a file, as `kubectl` would read them. */
import { construct } from './construct.ts'
import { parseJson } from './json.ts'
import { MOST_PROBLEMS, problemOfWhole } from './problem.ts'
import { type Piece, splitDocuments } from './split.ts'
import type { TextProblem } from './view.ts'
import { parseYaml } from './yaml.ts'

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
  const documents: TextDocument[] = []
  for (const piece of pieces) {
    if (text.slice(piece.start, piece.end).search(mentions) === -1) continue
    const document = readPiece(text, piece)
    if (document) documents.push(document)
  }
  return documents
}

/** Reads one document; undefined where it says nothing and nothing is wrong with it, as kubectl passes it over. */
function readPiece(text: string, { start, end, format, problem }: Piece): TextDocument | undefined {
  const place = { text, start, end }
  const before = problem ? [problem] : []
  if (end - start > MAX_DOCUMENT_LENGTH) {
    const tooLarge = problemOfWhole('unreadable', 'larger than 16 MiB', place)
    return { start, end, value: undefined, problems: [...before, tooLarge], format }
  }
  const parsed = format === 'json' ? parseJson(text, start, end) : parseYaml(text, start, end)
  const made = parsed.root ? construct(parsed.root) : { value: undefined, problems: [] }
  const problems = [...before, ...made.problems, ...parsed.problems].slice(0, MOST_PROBLEMS)
  const isEmpty = (made.value ?? undefined) === undefined
  return isEmpty && problems.length === 0 ? undefined : { start, end, value: made.value, problems, format }
}
