/** IPv4 addresses as 32-bit integers: one integer for one text, as nginx writes it. */

const PLAIN = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/

/** The integer (signed) of an address in its only spelling; undefined for any other text. */
export function parseIpv4(text: string): number | undefined {
  const match = PLAIN.exec(text)
  if (!match) return undefined
  const address = match.slice(1).reduce((sum, part) => (sum << 8) | (Number(part) & 255), 0)
  return printIpv4(address) === text ? address : undefined
}

/** The address as nginx writes it. */
export const printIpv4 = (address: number): string =>
  `${address >>> 24}.${(address >>> 16) & 255}.${(address >>> 8) & 255}.${address & 255}`
