/** What nginx does to values before it writes them into a log. Source: nginx log_format, `escape=`. */

/** `default` writes `\xHH` for quotes, backslashes, controls and everything above 126; `json` as JSON; `none` nothing. */
export type Escaping = 'default' | 'json' | 'none'

/**
 * A value as it was before it was logged, one character a byte. Where nginx has no value it writes `-`,
 * which becomes empty; with `json` and `none` it writes nothing.
 */
export function unescapeValue(logged: string, escaping: Escaping): string {
  if (escaping === 'none') return logged
  if (escaping === 'default' && logged === '-') return ''
  if (!logged.includes('\\')) return logged
  return escaping === 'json'
    ? unescapeJson(logged)
    : logged.replace(/\\x([0-9A-Fa-f]{2})/g, (_, hex: string) => byte(hex))
}

const SHORT: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' }

const unescapeJson = (logged: string): string =>
  logged.replace(/\\(?:u00([0-9A-Fa-f]{2})|(.))/g, (_, hex: string | undefined, letter: string | undefined) =>
    hex === undefined ? (SHORT[letter ?? ''] ?? letter ?? '') : byte(hex),
  )

const byte = (hex: string): string => String.fromCharCode(Number.parseInt(hex, 16))

/** A string without it is the same in UTF-8 and as one character a byte. */
const NOT_ASCII = /[\x80-\uffff]/
const ENCODER = new TextEncoder()
const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })

/** A string to one character a byte of its UTF-8, as logs are read. */
export const toBytes = (text: string): string => (NOT_ASCII.test(text) ? latin1Text(ENCODER.encode(text)) : text)

/** One character a byte of UTF-8 to a string; bytes that are not UTF-8 become U+FFFD. */
export function fromBytes(bytes: string): string {
  if (!NOT_ASCII.test(bytes)) return bytes
  const values = new Uint8Array(bytes.length)
  for (let index = 0; index < bytes.length; index += 1) values[index] = bytes.charCodeAt(index)
  return DECODER.decode(values)
}

/** Bytes that are decoded at once: arguments of one call. */
const CHUNK = 4096

/** The bytes from `start` to before `end`, one character a byte. */
export function latin1Text(bytes: Uint8Array, start = 0, end = bytes.length): string {
  let text = ''
  for (let at = start; at < end; at += CHUNK)
    text += String.fromCharCode(...bytes.subarray(at, Math.min(end, at + CHUNK)))
  return text
}
