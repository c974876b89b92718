/** Short names for texts of any length. */

const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/** A 64-bit hash of a string, as 16 hexadecimal digits (FNV-1a over its code points). */
export function fingerprint(text: string): string {
  let hash = OFFSET
  for (const character of text) hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * PRIME)
  return hash.toString(16).padStart(16, '0')
}
