/** Suggestions for misspelt words: did you mean …? */

/** How many words of one text are looked up: a search among the ids of all rules takes half a millisecond. */
export const MOST_SUGGESTIONS = 100

/**
 * The candidate that a misspelt word most likely means, or undefined where none is near: with at most one mistake in
 * words of two to four characters, two mistakes up to eight, three in longer ones. A mistake is an extra, missing or
 * wrong character, or two swapped ones. Of equally near candidates the one with the longest common prefix is taken,
 * then the first.
 */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined
  let bestDistance = mistakesAllowed(word.length)
  let bestPrefix = -1
  for (const candidate of candidates) {
    const distance = editDistance(word, candidate, bestDistance)
    if (distance > bestDistance) continue
    const prefix = commonPrefix(word, candidate)
    if (distance === bestDistance && prefix <= bestPrefix) continue
    best = candidate
    bestDistance = distance
    bestPrefix = prefix
  }
  return best
}

/** Like {@link nearest}, but ignores case. */
export function nearestInAnyCase(word: string, candidates: readonly string[]): string | undefined {
  const found = nearest(
    word.toLowerCase(),
    candidates.map((candidate) => candidate.toLowerCase()),
  )
  return candidates.find((candidate) => candidate.toLowerCase() === found)
}

const mistakesAllowed = (length: number): number => (length < 2 ? 0 : length < 5 ? 1 : length < 9 ? 2 : 3)

function commonPrefix(left: string, right: string): number {
  let length = 0
  while (length < left.length && left[length] === right[length]) length += 1
  return length
}

/**
 * The number of mistakes between two words (optimal string alignment distance, with case), or `limit + 1` where there
 * are more than `limit`.
 */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1
  const rows: Rows = { last: Array.from({ length: right.length + 1 }, (_, index) => index), beforeLast: [] }
  for (let i = 1; i <= left.length; i += 1) {
    const row = nextRow(left.slice(Math.max(0, i - 2), i), right, rows)
    if (Math.min(...row) > limit) return limit + 1
    rows.beforeLast = rows.last
    rows.last = row
  }
  return Math.min(rows.last[right.length] ?? limit + 1, limit + 1)
}

/** The last two rows of the table of distances between prefixes. */
type Rows = { last: readonly number[]; beforeLast: readonly number[] }

/** `end` is the character of this row with the one before it. */
function nextRow(end: string, right: string, { last, beforeLast }: Rows): readonly number[] {
  const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
  const [letter, previous] = [end.at(-1), end.at(-2)]
  const row = [at(last, 0) + 1]
  for (let j = 1; j <= right.length; j += 1) {
    const replaced = at(last, j - 1) + (right[j - 1] === letter ? 0 : 1)
    const cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, replaced)
    const isSwapped = previous !== undefined && right[j - 1] === previous && right[j - 2] === letter
    row.push(isSwapped ? Math.min(cost, at(beforeLast, j - 2) + 1) : cost)
  }
  return row
}
