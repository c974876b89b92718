/** The ends of texts. An expression such as `/a+$/` would try every run of a text to its end. */

/** The offset at which the characters at the end of a text begin that are among some. */
export function endOf(text: string, characters: string): number {
  let end = text.length
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--
  return end
}

/** A text without the characters at its end that are among some. */
export const withoutEnd = (text: string, characters: string): string => text.slice(0, endOf(text, characters))
