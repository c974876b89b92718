/** Short names for long texts. */

const OFFSET = 0xcbf29ce484222325n
const PRIME = 0x100000001b3n

/** 64 bits of a text, as 16 hexadecimal digits (FNV-1a over its code points). */
export function fingerprint(text: string): string {
  let hash = OFFSET
  for (const character of text) hash = BigInt.asUintN(64, (hash ^ BigInt(character.codePointAt(0) ?? 0)) * PRIME)
  return hash.toString(16).padStart(16, '0')
}

/** Bytes of a file's name that every usual file system takes. */
const LONGEST_FILE_NAME = 255

/** A name for a file that is ours to name: shortened where a file system would not take it. */
export function fileName(base: string, extension: string): string {
  const name = base + extension
  if (name.length <= LONGEST_FILE_NAME) return name
  const end = `_${fingerprint(base)}${extension}`
  return base.slice(0, LONGEST_FILE_NAME - end.length) + end
}
