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

/** The same in both. */
const PLAIN = /^[ -~]*$/

/** Text to one character a byte, as logs are read. */
export const toBytes = (text: string): string =>
  PLAIN.test(text) ? text : Buffer.from(text, 'utf8').toString('latin1')

/** One character a byte to text. */
export const fromBytes = (bytes: string): string =>
  PLAIN.test(bytes) ? bytes : Buffer.from(bytes, 'latin1').toString('utf8')
