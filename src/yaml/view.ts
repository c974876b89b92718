/** A text as the `document/` rules see it. */

/** What can be wrong with a text before any object is read from it. */
export type TextProblemCode = 'syntax' | 'duplicate-key' | 'unreadable'

/** One thing wrong with a text. */
export type TextProblem = {
  readonly code: TextProblemCode
  /** What is wrong, without place and without remedy: `bad indentation of a mapping entry`. */
  readonly reason: string
  /** UTF-16 offsets into the file's text, end exclusive. */
  readonly start: number
  readonly end: number
}

/** The text of one document in which a judged kind is named, and what is wrong with it. */
export type DocumentView = { readonly problems: readonly TextProblem[] }
