/** Edits of a text and edits of the result, as one list of edits of the text. */
import type { TextEdit } from './edit.ts'

/** A part of the result: a range of the text before, or new text. */
type Piece = { readonly start: number; readonly end: number } | { readonly text: string }

/** Composes edits of a text of `length` UTF-16 units with edits of the text that they make. Neither list overlaps. */
export function composeEdits(
  length: number,
  first: readonly TextEdit[],
  second: readonly TextEdit[],
): readonly TextEdit[] {
  return editsOf(length, replaced(replaced([{ start: 0, end: length }], first), second))
}

/** The pieces after edits, whose offsets count in the text that the pieces make. */
function replaced(pieces: readonly Piece[], edits: readonly TextEdit[]): readonly Piece[] {
  const rest = [...pieces]
  const result: Piece[] = []
  let at = 0
  const take = (end: number, keep: boolean): void => {
    while (at < end) {
      const piece = rest.shift()
      if (!piece) return
      const [head, tail] = split(piece, end - at)
      if (keep) result.push(head)
      if (tail) rest.unshift(tail)
      at += lengthOf(head)
    }
  }
  for (const { start, end, text } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    take(start, true)
    result.push({ text })
    take(end, false)
  }
  return [...result, ...rest]
}

const lengthOf = (piece: Piece): number => ('text' in piece ? piece.text.length : piece.end - piece.start)

/** The first `length` units of a piece, and the rest where there is one. */
function split(piece: Piece, length: number): readonly [Piece, Piece?] {
  if (lengthOf(piece) <= length) return [piece]
  if ('text' in piece) return [{ text: piece.text.slice(0, length) }, { text: piece.text.slice(length) }]
  const middle = piece.start + length
  return [
    { start: piece.start, end: middle },
    { start: middle, end: piece.end },
  ]
}

/** Pieces to edits: what stands between two ranges of the text before replaces what was between them. */
function editsOf(length: number, pieces: readonly Piece[]): readonly TextEdit[] {
  const edits: TextEdit[] = []
  let at = 0
  let text = ''
  for (const piece of [...pieces, { start: length, end: length }]) {
    if ('text' in piece) {
      text += piece.text
      continue
    }
    if (piece.start > at || text !== '') edits.push({ start: at, end: piece.start, text })
    at = piece.end
    text = ''
  }
  return edits
}
