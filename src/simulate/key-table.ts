/** Keys by numbers. What nobody uses any more is swept out now and then, and its numbers are given out anew. */

/** The keys of one expression. */
export type KeyTable = {
  /** The number of a key, from 1 on. It stays that key's until a sweep in which nobody names it. */
  number(key: string): number
  text(number: number): string
  /** Bytes that it takes in nginx, at most 65,535. */
  length(number: number): number
  /** Forgets all keys but those whose numbers are named. */
  sweep(nameAll: (name: (number: number) => void) => void): void
  /** How many keys there are. */
  readonly size: number
}

const LONGEST = 65_535

/** `lengthOf` says how many bytes a key takes in nginx. */
export function createKeyTable(lengthOf: (key: string) => number): KeyTable {
  const numbers = new Map<string, number>()
  const texts: string[] = ['']
  const free: number[] = []
  let lengths = new Uint16Array(1024)
  const add = (key: string): number => {
    const number = free.pop() ?? texts.length
    texts[number] = key
    numbers.set(key, number)
    if (number >= lengths.length) {
      const larger = new Uint16Array(lengths.length * 2)
      larger.set(lengths)
      lengths = larger
    }
    lengths[number] = Math.min(LONGEST, lengthOf(key))
    return number
  }
  return {
    number: (key) => numbers.get(key) ?? add(key),
    text: (number) => texts[number] ?? '',
    length: (number) => lengths[number] ?? 0,
    sweep(nameAll) {
      const isNamed = new Uint8Array(texts.length)
      nameAll((number) => {
        isNamed[number] = 1
      })
      for (const [key, number] of numbers) {
        if (isNamed[number] === 1) continue
        numbers.delete(key)
        texts[number] = ''
        free.push(number)
      }
    },
    get size() {
      return numbers.size
    },
  }
}
