/** MD5 without Node, for texts that a program elsewhere compares by it. Source: RFC 1321. */

const SHIFTS: readonly (readonly number[])[] = [
  [7, 12, 17, 22],
  [5, 9, 14, 20],
  [4, 11, 16, 23],
  [6, 10, 15, 21],
]
const SINES = Array.from({ length: 64 }, (_, index) => Math.floor(Math.abs(Math.sin(index + 1)) * 2 ** 32))

type State = readonly [a: number, b: number, c: number, d: number]

/** The hash of a text in UTF-8, as 16 bytes. */
export function md5(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  const padded = new DataView(new ArrayBuffer((((bytes.length + 8) >> 6) + 1) * 64))
  for (const [index, byte] of bytes.entries()) padded.setUint8(index, byte)
  padded.setUint8(bytes.length, 0x80)
  padded.setUint32(padded.byteLength - 8, (bytes.length * 8) >>> 0, true)
  let state: State = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476]
  for (let at = 0; at < padded.byteLength; at += 64) state = afterBlock(state, padded, at)
  const result = new DataView(new ArrayBuffer(16))
  for (const [index, word] of state.entries()) result.setUint32(index * 4, word, true)
  return new Uint8Array(result.buffer)
}

function afterBlock(state: State, block: DataView, at: number): State {
  let [a, b, c, d] = state
  for (let step = 0; step < 64; step += 1) {
    const [mixed, word] = mix(step, b, c, d)
    const sum = (a + mixed + (SINES[step] ?? 0) + block.getUint32(at + word * 4, true)) >>> 0
    const shift = SHIFTS[step >> 4]?.[step & 3] ?? 0
    const rotated = (sum << shift) | (sum >>> (32 - shift))
    ;[a, b, c, d] = [d, (b + rotated) >>> 0, b, c]
  }
  return [(state[0] + a) >>> 0, (state[1] + b) >>> 0, (state[2] + c) >>> 0, (state[3] + d) >>> 0]
}

/** The function of a step, and which word of the block it takes. */
function mix(step: number, b: number, c: number, d: number): readonly [mixed: number, word: number] {
  if (step < 16) return [(b & c) | (~b & d), step]
  if (step < 32) return [(d & b) | (~d & c), (5 * step + 1) % 16]
  return step < 48 ? [b ^ c ^ d, (3 * step + 5) % 16] : [c ^ (b | ~d), (7 * step) % 16]
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Bytes as base64url without padding. */
export function base64Url(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,6}/g) ?? []).map((six) => DIGITS[Number.parseInt(six.padEnd(6, '0'), 2)]).join('')
}
