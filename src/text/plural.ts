/** Counts in messages. */

/** A number with its noun: `1 file`, `2,000 files`; irregular nouns pass their plural. */
export const counted = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count.toLocaleString('en')} ${count === 1 ? noun : nouns}`
