/** Keys by numbers, for as long as anybody holds them: numbers are given out anew once nobody does. */

/** The keys of one expression. */
export type KeyTable = {
  /** The number of a key, from 1 on, held once more. */
  hold(key: string): number
  /** Holds a number once more. */
  keep(number: number): void
  /** Holds it once less. */
  release(number: number): void
  text(number: number): string
  /** Numbers are below this. */
  readonly bound: number
}

export function createKeyTable(): KeyTable {
  const numbers = new Map<string, number>()
  const texts: string[] = ['']
  const free: number[] = []
  let holds = new Int32Array(1024)
  const keep = (number: number): void => {
    holds[number] = (holds[number] ?? 0) + 1
  }
  const add = (key: string): number => {
    const number = free.pop() ?? texts.length
    texts[number] = key
    numbers.set(key, number)
    if (number >= holds.length) {
      const larger = new Int32Array(holds.length * 2)
      larger.set(holds)
      holds = larger
    }
    return number
  }
  return {
    hold(key) {
      const number = numbers.get(key) ?? add(key)
      keep(number)
      return number
    },
    keep,
    release(number) {
      const left = (holds[number] ?? 0) - 1
      holds[number] = left
      if (left > 0) return
      numbers.delete(texts[number] ?? '')
      texts[number] = ''
      free.push(number)
    },
    text: (number) => texts[number] ?? '',
    get bound() {
      return texts.length
    },
  }
}
