/** The bytes of a file to its text, and back. */
import type { TextProblem } from './parse/problem.ts'

/** The text of a file. With invalid bytes it contains U+FFFD in their place, and `problem` marks the first of them. */
export type Decoded = { readonly text: string; readonly problem?: TextProblem }

type Encoding = 'UTF-8' | 'UTF-16LE' | 'UTF-16BE'

/**
 * Decodes a file: UTF-8, or UTF-16 where it begins with a byte order mark, as kubectl does. The mark of UTF-8 stays in
 * the text. Invalid bytes are a problem, although kubectl replaces them by U+FFFD: they should not reach a cluster.
 */
export function decodeText(bytes: Uint8Array): Decoded {
  const encoding = encodingOf(bytes)
  try {
    return { text: new TextDecoder(encoding, { fatal: true, ignoreBOM: encoding === 'UTF-8' }).decode(bytes) }
  } catch {
    const text = new TextDecoder(encoding).decode(bytes)
    const start = Math.max(0, text.indexOf('\ufffd'))
    return {
      text,
      problem: { code: 'unreadable', cause: 'encoding', reason: `not encoded in ${encoding}`, start, end: start + 1 },
    }
  }
}

/** True for a file that begins with a byte order mark of UTF-16. */
export const isUtf16 = (bytes: Uint8Array): boolean => encodingOf(bytes) !== 'UTF-8'

function encodingOf([first, second]: Uint8Array): Encoding {
  if (first === 0xff && second === 0xfe) return 'UTF-16LE'
  return first === 0xfe && second === 0xff ? 'UTF-16BE' : 'UTF-8'
}

/** Encodes a text in the encoding of a file that begins with the bytes `like`; {@link decodeText} reads it back. */
export function encodeText(text: string, like: Uint8Array): Uint8Array {
  const encoding = encodingOf(like)
  if (encoding === 'UTF-8') return new TextEncoder().encode(text)
  const view = new DataView(new ArrayBuffer(2 + text.length * 2))
  const isLittle = encoding === 'UTF-16LE'
  view.setUint16(0, 0xfeff, isLittle)
  for (let index = 0; index < text.length; index++) view.setUint16(2 + index * 2, text.charCodeAt(index), isLittle)
  return new Uint8Array(view.buffer)
}
