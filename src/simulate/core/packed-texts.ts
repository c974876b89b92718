/** Texts as bytes, one behind the other: threads hand them over without copies, and they leave no garbage. */

import { enlarge } from './byte-table.ts'

/** Texts of which each is some bytes. */
export type PackedTexts = {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Where each text ends. */
  readonly ends: Int32Array<ArrayBuffer>
}

/** Collects texts. */
type TextPacker = {
  add(text: Uint8Array): void
  /** The texts since the last call. */
  take(): PackedTexts
}

const FIRST_TEXTS = 256
const FIRST_BYTES = 8 * 1024

/** A packer without texts. */
export function createTextPacker(): TextPacker {
  let bytes = new Uint8Array(FIRST_BYTES)
  let ends = new Int32Array(FIRST_TEXTS)
  let [count, end] = [0, 0]
  return {
    add(text) {
      while (end + text.length > bytes.length) bytes = enlarge(bytes, new Uint8Array(bytes.length * 2))
      if (count === ends.length) ends = enlarge(ends, new Int32Array(count * 2))
      bytes.set(text, end)
      end += text.length
      ends[count] = end
      count += 1
    },
    take() {
      const packed = { bytes: bytes.slice(0, end), ends: ends.slice(0, count) }
      count = 0
      end = 0
      return packed
    },
  }
}
