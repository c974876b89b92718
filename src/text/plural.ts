/** Counts in messages. */

/** `1 file`, `2 files`; irregular nouns pass their plural. */
export const plural = (count: number, noun: string, nouns = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : nouns}`
