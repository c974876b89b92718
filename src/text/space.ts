/** Spaces of Unicode that look like the ordinary one, and that YAML takes for a part of a name or value. */

const UNUSUAL = /[\u00A0\u2000-\u200B\u202F\u205F\u3000]/g

/** The offsets of all of them in a text. */
export const unusualSpaces = (text: string): readonly number[] => [...text.matchAll(UNUSUAL)].map(({ index }) => index)

/** The text with ordinary spaces in their place; its length is the same. */
export const withOrdinarySpaces = (text: string): string => text.replace(UNUSUAL, ' ')

/** How messages name the first of them in a text, `a no-break space (U+00A0)`; undefined where there is none. */
export function unusualSpaceIn(text: string): string | undefined {
  const [at] = unusualSpaces(text)
  if (at === undefined) return undefined
  const code = `U+${text.charCodeAt(at).toString(16).toUpperCase().padStart(4, '0')}`
  return `${code === 'U+00A0' ? 'a no-break space' : 'a space'} (${code})`
}
