/** Edits of a text by offset. */

/** Replaces what stands between two UTF-16 offsets of a text, end exclusive. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string }

/** In the order of the text; those that begin and end alike keep theirs. */
export const inTextOrder = (edits: readonly TextEdit[]): readonly TextEdit[] =>
  [...edits].sort((a, b) => a.start - b.start || a.end - b.end)

/** Makes edits, of which no two may overlap; what is put in at one place goes there in the order of the edits. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of inTextOrder(edits)) {
    if (edit.start < at) throw new Error(`two edits overlap at ${edit.start}`)
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}
