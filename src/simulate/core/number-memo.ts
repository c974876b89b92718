/** Remembers numbers of -1 or more for small numbers, such as those that tables give out. */

export type Memo = {
  /** What is remembered for a number; {@link NOTHING} where nothing is. */
  get(number: number): number
  set(number: number, value: number): void
  clear(): void
}

export const NOTHING = -2

export function createMemo(): Memo {
  /** Values less nothing, so that fresh memory means nothing. */
  let values = new Float64Array(1024)
  return {
    get: (number) => (values[number] ?? 0) + NOTHING,
    set(number, value) {
      if (number >= values.length) {
        const larger = new Float64Array(2 ** Math.ceil(Math.log2(number + 1)))
        larger.set(values)
        values = larger
      }
      values[number] = value - NOTHING
    },
    clear: () => void values.fill(0),
  }
}
