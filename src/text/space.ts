/** Characters of Unicode that look like an ordinary space, or like nothing, and that YAML does not treat as one. */

const UNUSUAL = /[\u00A0\u2000-\u200B\u2028\u2029\u202F\u205F\u3000\uFEFF]/g

/** The offsets of all of them in a text. */
export const unusualSpaces = (text: string): readonly number[] => [...text.matchAll(UNUSUAL)].map(({ index }) => index)

/** The text with ordinary spaces in their place; its length is the same. */
export const withOrdinarySpaces = (text: string): string => text.replace(UNUSUAL, ' ')

/** How messages name the first of them in a text, `a no-break space (U+00A0)`; undefined where there is none. */
export function unusualSpaceIn(text: string): string | undefined {
  const [at] = unusualSpaces(text)
  if (at === undefined) return undefined
  const char = text.charAt(at)
  const code = `U+${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`
  return `${NAMES.get(char) ?? 'a space'} (${code})`
}

const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u00A0', 'a no-break space'],
  ['\u2028', 'a line separator'],
  ['\u2029', 'a paragraph separator'],
  ['\uFEFF', 'a byte order mark'],
])
