/** Tries corrections: of the mistakes that look alike to a parser, the one whose correction helps was made. */
import { lineEnd } from '../scan.ts'
import type { Position } from './problem.ts'
import { createSource, readEvents } from './source.ts'

/** An edit of the text: a span, and what takes its place. */
type Correction = { readonly start: number; readonly end: number; readonly text: string }

/** What a correction helps: the parser gets past the line of the mistake, or reads the whole document. */
export type Trial = (correction: Correction) => 'past' | 'all' | undefined

/** UTF-16 units of the longest document in which corrections are tried. */
export const LONGEST = 64 * 1024

/** Tries corrections of a document whose parser has stopped at an offset. */
export const triedOn =
  ({ text, start, end, offset }: Position): Trial =>
  (correction) => {
    if (end - start > LONGEST) return undefined
    const corrected = text.slice(start, correction.start) + correction.text + text.slice(correction.end, end)
    const moved = offset - start + correction.text.length - (correction.end - correction.start)
    const read = readEvents(createSource(corrected, 0))
    if (!('code' in read)) return 'all'
    return read.offset > lineEnd(corrected, moved) ? 'past' : undefined
  }
