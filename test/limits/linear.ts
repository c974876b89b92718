/** Texts that make a pattern with two ways to match the same blanks or letters take forever. */

const LENGTH = 100_000

/** Long texts of one character, or of a few, between what each language begins and ends with. */
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
