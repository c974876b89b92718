/** Remembers an integer of 0 or more for small numbers, such as those that tables give out. */

export type Memo = {
  /** What is remembered for a number; -1 for nothing. */
  get(number: number): number
  set(number: number, value: number): void
  clear(): void
}

export function createMemo(): Memo {
  /** Values plus one, so that fresh memory means nothing. */
  let values = new Int32Array(1024)
  return {
    get: (number) => (values[number] ?? 0) - 1,
    set(number, value) {
      if (number >= values.length) {
        const larger = new Int32Array(2 ** Math.ceil(Math.log2(number + 1)))
        larger.set(values)
        values = larger
      }
      values[number] = value + 1
    },
    clear: () => void values.fill(0),
  }
}
