/** The documents of a file: text to objects, as kubectl reads them, and objects to text. */

import { dump } from 'js-yaml'
import { readPlain } from './fast/plain.ts'
import { isWholeObject } from './fast/whole.ts'
import { causeOf } from './parse/cause.ts'
import { type Constructed, construct } from './parse/construct.ts'
import { parseJsonText } from './parse/json.ts'
import type { TextNode } from './parse/node.ts'
import { MAX_PROBLEMS, problemOfDocument, type TextMistake, type TextProblem } from './parse/problem.ts'
import { isJsonText, type Piece, splitDocuments } from './parse/split.ts'
import { parseYaml } from './parse/yaml.ts'
import { type Span, skipComments } from './scan.ts'

/** One YAML or JSON document of a file, at a span of the file's text. */
export type TextDocument = Span & {
  /** Its value in plain objects and arrays; undefined where it cannot be read. */
  readonly value: unknown
  readonly problems: readonly TextProblem[]
  /** Default: `yaml`. */
  readonly format?: 'yaml' | 'json'
}

/** A document as the rules of the text itself see it: one that names a judged kind, with its problems. */
export type DocumentView = Pick<TextDocument, 'problems'>

/** How to read. */
export type ReadDocumentsOptions = {
  /** Documents whose text does not match are not read, and have no problems. */
  readonly mentions: RegExp
  /** Reads JSON as YAML, as kustomize does. */
  readonly isYaml?: boolean
}

/** UTF-16 units that a document may have. The API server takes 3 MiB; a List in a file may be larger. */
const MAX_DOCUMENT_LENGTH = 16 * 1024 * 1024

const TOO_LARGE = { code: 'unreadable', cause: 'large', reason: 'larger than 16 MiB' } as const

/** A text of which each document is parsed when it is first needed, and once. */
type TextReader = {
  /** The documents that match `mentions`. Never throws. */
  documents(options: ReadDocumentsOptions): readonly TextDocument[]
  /** The documents beside some at which kubectl stops, or of which it ignores a part. Their values are forgotten. */
  brokenBeside(documents: readonly TextDocument[], mistakeOf: MistakeOfValue): readonly TextDocument[]
}

/** What is wrong with a document that can be read, by its value; undefined where nothing is. */
export type MistakeOfValue = (value: unknown) => TextMistake | undefined

/** Reads the documents of a file whose text matches `mentions`. Never throws. */
export const readDocuments = (text: string, options: ReadDocumentsOptions): readonly TextDocument[] =>
  createTextReader(text).documents(options)

/** Reads a text for several readers, who look for different documents. */
function createTextReader(text: string): TextReader {
  const known = new Map<boolean, readonly UnreadPiece[]>()
  const piecesOf = (isYaml: boolean): readonly UnreadPiece[] => {
    const isOther = isYaml && isJsonText(text)
    const pieces = known.get(isOther) ?? splitDocuments(text, isOther).map((piece) => unread(text, piece))
    known.set(isOther, pieces)
    return pieces
  }
  return {
    documents({ mentions, isYaml = false }) {
      if (text.search(mentions) === -1) return []
      const pieces = piecesOf(isYaml)
      const isRead = pieces.map(
        ({ start, end }) => pieces.length === 1 || text.slice(start, end).search(mentions) !== -1,
      )
      const documents = pieces.flatMap((piece, index) => {
        if (!isRead[index]) return []
        // The problem of a separator belongs to the document after it, or to the one before where that is not read.
        const next = isRead[index + 1] ? undefined : pieces[index + 1]?.problem
        const problems = [piece.problem, next].filter((problem) => problem !== undefined)
        return readPiece(piece, problems) ?? []
      })
      return withOneEnd(documents)
    },
    brokenBeside(documents, mistakeOf) {
      const known = new Set(documents.map(({ start }) => start))
      const others = piecesOf(false).filter(({ start }) => !known.has(start))
      if (others.length === 0) return []
      const reported = new Set(documents.flatMap(({ problems }) => problems.map(({ start }) => start)))
      const broken = others.flatMap((piece): TextDocument[] => {
        const { start, end, format, problem } = piece
        // What is wrong after a broken separator may follow from that.
        const own = problem ? [problem].filter((one) => !reported.has(one.start)) : stopsIn(text, piece, mistakeOf)
        const problems = inOrder(own).slice(0, MAX_PROBLEMS)
        return problems.length === 0 ? [] : [{ start, end, value: undefined, problems, format }]
      })
      const all = [...documents, ...broken].sort((a, b) => a.start - b.start)
      return withOneEnd(all).filter(({ start, problems }) => !known.has(start) && problems.length > 0)
    },
  }
}

/**
 * Why kubectl stops at a document or ignores a part of it. What it reads in another way than it is written is not among
 * that, nor is a document that is only too large or too deep for us.
 */
function stopsIn(text: string, piece: Piece, mistakeOf: MistakeOfValue): readonly TextProblem[] {
  const { start, end, format } = piece
  if (format === 'yaml' && isWholeObject(text, start, end)) return []
  const { value, problems } = parseContent(text, piece)
  if (problems.every(({ code }) => code === 'duplicate-key')) {
    const mistake = mistakeOf(value)
    return mistake ? [problemOfDocument(mistake, { text, start: skipComments(text, start), end })] : []
  }
  return problems.some((problem) => isOurs(problem, text)) ? [] : readContent(text, piece).problems
}

/** kubectl has no such limits, and reads a byte order mark within a text as nothing or as a character. */
const isOurs = (problem: TextProblem, text: string): boolean =>
  problem.code === 'unreadable'
    ? problem.cause === 'deep' || problem.cause === 'large'
    : text[problem.start] === '\uFEFF'

type UnreadPiece = Piece & { content(): ReturnType<typeof readContent> }

function unread(text: string, piece: Piece): UnreadPiece {
  let content: ReturnType<typeof readContent> | undefined
  return {
    ...piece,
    content() {
      content ??= readContent(text, piece)
      return content
    },
  }
}

/** The texts of a run: whoever reads one of them again gets what was parsed before. */
export type Texts = {
  of(text: string): TextReader
  /** For the next version of the texts, of which most stay: what is not asked for there is forgotten. */
  next(): Texts
}

/** No text was read yet. */
export const createTexts = (before?: ReadonlyMap<string, TextReader>): Texts => {
  const readers = new Map<string, TextReader>()
  return {
    of(text) {
      const reader = readers.get(text) ?? before?.get(text) ?? createTextReader(text)
      readers.set(text, reader)
      return reader
    },
    next: () => createTexts(readers),
  }
}

/** An object that ends too early explains what is left over at the end of those after it. */
function withOneEnd(documents: readonly TextDocument[]): readonly TextDocument[] {
  const isEnd = (problem: TextProblem) => problem.code === 'syntax' && problem.cause === 'json-end'
  const first = documents.findIndex(({ problems }) => problems.some(isEnd))
  if (first === -1) return documents
  return documents.map((document, index) =>
    index > first ? { ...document, problems: document.problems.filter((problem) => !isEnd(problem)) } : document,
  )
}

/** Reads one document; undefined where it is empty and has no problems, as kubectl skips it. */
function readPiece(piece: UnreadPiece, ofSeparators: readonly TextProblem[]): TextDocument | undefined {
  const { start, end, format } = piece
  const { value, problems: ofContent } = piece.content()
  const problems = inOrder([...ofSeparators, ...ofContent]).slice(0, MAX_PROBLEMS)
  const isEmpty = value === undefined || value === null
  return isEmpty && problems.length === 0 ? undefined : { start, end, value, problems, format }
}

/** Each problem once, in the order of the text: a parser and the reader of its tree can find the same one. */
function inOrder(problems: readonly TextProblem[]): readonly TextProblem[] {
  if (problems.length < 2) return problems
  const distinct = new Map(problems.map((problem) => [`${problem.start} ${problem.end} ${problem.reason}`, problem]))
  return [...distinct.values()].sort((a, b) => a.start - b.start)
}

/** Reads the text at [start, end) as one document. Never throws. */
export function readContent(text: string, piece: Omit<Piece, 'problem'>): Constructed {
  const read = parseContent(text, piece)
  if (read.problems.length === 0 || piece.format === 'json') return read
  const reread = (other: string) => parseContent(other, piece).problems
  const cause = causeOf({ ...piece, text, problems: read.problems }, reread)
  return cause ? { value: undefined, problems: [cause] } : read
}

function parseContent(text: string, { start, end, format }: Omit<Piece, 'problem'>): Constructed {
  if (end - start > MAX_DOCUMENT_LENGTH)
    return { value: undefined, problems: [problemOfDocument(TOO_LARGE, { text, start, end })] }
  const plain = format === 'yaml' ? readPlain(text, start, end) : undefined
  if (plain !== undefined) return { value: plain, problems: [] }
  const { root, problems } = format === 'json' ? parseJsonText(text, start, end) : parseYaml(text, start, end)
  if (root === undefined) return { value: undefined, problems }
  const constructed = construct(root)
  return { value: constructed.value, problems: [...constructed.problems, ...problems] }
}

/** The trees that were made last: places and edits are found in the same ones. */
const latestTrees: { readonly document: TextDocument; readonly text: string; readonly root: TextNode }[] = []
const KEPT_TREES = 4

/** The tree of a document; undefined where its text cannot be parsed. */
export function parseTree(text: string, document: TextDocument): TextNode | undefined {
  const kept = latestTrees.find((tree) => tree.document === document && tree.text === text)
  if (kept) return kept.root
  const { start, end, format } = document
  const { root } = (format === 'json' ? parseJsonText : parseYaml)(text, start, end)
  if (root) latestTrees.unshift({ document, text, root })
  if (latestTrees.length > KEPT_TREES) latestTrees.pop()
  return root
}

/**
 * Writes values as the documents of one YAML text, in the block style of kubectl. A string that a reader of YAML 1.1
 * or 1.2 could take for anything else is quoted.
 */
export const writeDocuments = (values: Iterable<unknown>): string =>
  [...values].map((value) => dump(value, { lineWidth: -1, noRefs: true, seqNoIndent: true })).join('---\n')
