/** Lengths in bytes, as nginx counts. */

/** The length of a string in UTF-8, in bytes. Half a surrogate pair counts as the replacement character U+FFFD. */
export function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else if (isPair(unit, text.charCodeAt(i + 1))) {
      bytes += 2
      i += 1
    } else bytes += 2
  }
  return bytes
}

const isPair = (high: number, low: number): boolean => high >= 0xd800 && high < 0xdc00 && low >= 0xdc00 && low < 0xe000
