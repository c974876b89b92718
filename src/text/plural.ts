/** Counts in messages. */

/** A number with its noun: `1 file`, `2,000 files`; irregular nouns pass their plural. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${shown(count)} ${count === 1 ? noun : nouns}`

/** The first number with separators loads the languages of the runtime, a tenth of a short run. */
const shown = (count: number): string => (count < 1000 ? String(count) : count.toLocaleString('en'))
