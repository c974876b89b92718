/** Texts that take forever where a pattern can match the same characters in two ways. */

const LENGTH = 100_000

/** Long texts of one or a few repeated characters, between the beginnings and ends of a language. */
export function longTexts(begins: readonly string[], ends: readonly string[]): readonly string[] {
  const middles = [' ', '\t', '\n', 'a', '0', '9', 'r', '$', '${', '${a', '\\', '"', ':', '🦜', ' r', '\u00a0'].map(
    (text) => text.repeat(LENGTH / text.length),
  )
  return begins.flatMap((begin) => middles.flatMap((middle) => ends.map((end) => `${begin}${middle}${end}`)))
}

/** Milliseconds that a function takes for the slowest of some texts. */
export function slowest(texts: readonly string[], read: (text: string) => unknown): number {
  return Math.max(
    ...texts.map((text) => {
      const start = performance.now()
      read(text)
      return performance.now() - start
    }),
  )
}
