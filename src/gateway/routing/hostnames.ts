/** Hostnames of listeners and routes. Source: Gateway API, `hostname` of a listener, `hostnames` of a route. */
import { compareText } from '../../text/order.ts'
import { cachedBy } from '../../world/cache.ts'

/** The hostname that stands for every host. */
export const ANY_HOST = ''

/** Characters of the longest hostname that the API server accepts. */
const LONGEST = 253

/**
 * The hostnames under which a route answers on a listener; {@link ANY_HOST} where neither has one. Empty where they have
 * none in common. `*.shop.example` covers every name with that ending, at any depth, but not `shop.example` itself.
 */
export function commonHostnames(listener: string | undefined, route: readonly string[]): readonly string[] {
  if (route.length === 0) return [listener || ANY_HOST]
  const { unique, positions, byEnding } = indexOf(route)
  if (!listener) return unique
  const common = listener.startsWith('*.') ? endingIn(listener.slice(1), byEnding) : []
  const alike = [listener, ...wildcardsOver(listener)].flatMap((hostname) => positions.get(hostname) ?? [])
  const first = alike.length === 0 ? [] : [Math.min(...alike)]
  const places = [...common.map(({ position }) => position), ...first].sort((a, b) => a - b)
  const hostnames = places.map((position) => unique[position] ?? '')
  return [...new Set(hostnames.map((hostname) => (covers(hostname, listener) ? listener : hostname)))]
}

const covers = (wide: string, narrow: string): boolean => wide.startsWith('*.') && narrow.endsWith(wide.slice(1))

/** The wildcards that cover a hostname, the most specific first: `*.b.c` and `*.c` for `a.b.c`. */
export function* wildcardsOver(hostname: string): Iterable<string> {
  const first = hostname.indexOf('.', Math.max(0, hostname.length - LONGEST))
  for (let dot = first; dot >= 0; dot = hostname.indexOf('.', dot + 1)) yield `*${hostname.slice(dot)}`
}

type Reversed = { readonly reversed: string; readonly position: number }

/** Hostnames by what they are and, in the order of their reversed texts, by what they end in. */
const indexOf = cachedBy((hostnames: readonly string[]) => {
  const unique = [...new Set(hostnames)]
  return {
    unique,
    positions: new Map(unique.map((hostname, position) => [hostname, position])),
    byEnding: unique
      .map((hostname, position): Reversed => ({ reversed: reverse(hostname), position }))
      .sort((a, b) => compareText(a.reversed, b.reversed)),
  }
})

const reverse = (text: string): string => [...text].reverse().join('')

/** The entries whose hostname has an ending: they stand together. */
function endingIn(ending: string, sorted: readonly Reversed[]): readonly Reversed[] {
  const begin = reverse(ending)
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareText(sorted[middle]?.reversed ?? '', begin) < 0) low = middle + 1
    else high = middle
  }
  let end = low
  while (sorted[end]?.reversed.startsWith(begin)) end++
  return sorted.slice(low, end)
}
