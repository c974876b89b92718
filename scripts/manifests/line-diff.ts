/** The difference of two texts, in whole lines. */

/** Lines `from` to `to` (exclusive) of the old text are replaced by others. */
export type Hunk = { readonly from: number; readonly to: number; readonly lines: readonly string[] }

/** The smallest hunks that turn one list of lines into another, in their order. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = []
  let [from, start] = [0, 0]
  for (const [i, j] of [...commonLines(before, after), [before.length, after.length] as const]) {
    if (i > from || j > start) hunks.push({ from, to: i, lines: after.slice(start, j) })
    from = i + 1
    start = j + 1
  }
  return hunks
}

/** The positions of the longest common subsequence in both. */
function commonLines(before: readonly string[], after: readonly string[]): readonly (readonly [number, number])[] {
  const lengths = commonLengths(before, after)
  const pairs: [number, number][] = []
  let [i, j] = [0, 0]
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) pairs.push([i++, j++])
    else if (at(lengths, i + 1, j) >= at(lengths, i, j + 1)) i++
    else j++
  }
  return pairs
}

const at = (table: readonly (readonly number[])[], i: number, j: number): number => table[i]?.[j] ?? 0

/** The length of the longest common subsequence of what follows each pair of places. */
function commonLengths(before: readonly string[], after: readonly string[]): readonly (readonly number[])[] {
  const table = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let i = before.length - 1; i >= 0; i--) {
    const row = table[i] ?? []
    for (let j = after.length - 1; j >= 0; j--)
      row[j] = before[i] === after[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), row[j + 1] ?? 0)
  }
  return table
}
