/** Edits of a text by offset. */

/** Replaces what stands between two UTF-16 offsets of a text, end exclusive. */
export type TextEdit = { readonly start: number; readonly end: number; readonly text: string }
