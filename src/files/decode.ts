import { isUtf8 } from 'node:buffer'

export type Decoded = { readonly text: string } | { readonly problem: string }

/** Bytes to text. */
export function decodeText(bytes: Uint8Array): Decoded {
  if (!isUtf8(bytes)) return { problem: 'not UTF-8' }
  return { text: new TextDecoder().decode(bytes) }
}
