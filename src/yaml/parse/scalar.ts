/** The value of a YAML scalar for kubectl, which reads with go-yaml v2: YAML 1.1 with exceptions of its own. */

/** The value of a scalar; numbers may be NaN or infinite, which JSON cannot hold. */
export type Scalar = string | number | boolean | null

const WORDS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ...['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'].map((word) => [word, true] as const),
  ...['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'].map((word) => [word, false] as const),
  ...['', '~', 'null', 'Null', 'NULL'].map((word) => [word, null] as const),
  ...['.nan', '.NaN', '.NAN'].map((word) => [word, Number.NaN] as const),
  ...['.inf', '.Inf', '.INF'].flatMap((word) => [
    [word, Number.POSITIVE_INFINITY] as const,
    [`+${word}`, Number.POSITIVE_INFINITY] as const,
    [`-${word}`, Number.NEGATIVE_INFINITY] as const,
  ]),
])
const LONGEST_WORD = 5

const STRING = 0
const WORD = 1
const NUMBER = 2
const POINT = 3
/** What a plain scalar can be, by its first character. All other characters begin strings. */
const FIRST = new Uint8Array(128)
for (const char of 'yYnNtTfFoO~') FIRST[char.charCodeAt(0)] = WORD
for (const char of '0123456789+-') FIRST[char.charCodeAt(0)] = NUMBER
FIRST['.'.charCodeAt(0)] = POINT

/** The value of a plain (unquoted, untagged) scalar. */
export function resolvePlain(text: string): Scalar {
  if (text === '') return null
  const kind = FIRST[text.charCodeAt(0)] ?? STRING
  if (kind === STRING) return text
  if (text.length <= LONGEST_WORD) {
    const word = WORDS.get(text)
    if (word !== undefined) return word
  }
  if (kind === WORD) return text
  return (kind === NUMBER ? toNumber(text) : toFloat(text.replace(BETWEEN_DIGITS, ''))) ?? text
}

/** The last character of a number. The many rates and sizes (`10r/s`, `10m`) end otherwise. */
const NUMBER_END = /[\da-fA-F._]$/
const SMALL_NUMBER = /^(?:0|[1-9]\d{0,14})$/
const INTEGER = /^([-+]?)(?:(0[xX][\da-fA-F]+|0[oO][0-7]+|0[bB][01]+)|0([0-7]+)|(0|[1-9]\d*))$/
const FLOAT = /^[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?$/

/** The underscores that a number with a leading point may contain. */
const BETWEEN_DIGITS = /(?<=\d)_(?=\d)/g

/** A number without a leading point. It may contain underscores anywhere except at its beginning. */
function toNumber(text: string): number | undefined {
  if (SMALL_NUMBER.test(text)) return Number(text)
  if (!NUMBER_END.test(text)) return undefined
  const digits = text.includes('_') ? text.replaceAll('_', '') : text
  return toInteger(digits) ?? toFloat(digits)
}

const MAX_UINT64 = 2n ** 64n - 1n
const MAX_INT64 = 2n ** 63n - 1n

/** An integer that fits 64 bits; a larger one is a float where it looks like one, else a string. */
function toInteger(text: string): number | undefined {
  const integer = parseInteger(text)
  return integer === undefined ? undefined : Number(integer)
}

function parseInteger(text: string): bigint | undefined {
  const [, sign = '', based, octal, decimal] = INTEGER.exec(text) ?? []
  const digits = based ?? (octal === undefined ? decimal : `0o${octal}`)
  if (digits === undefined) return undefined
  const magnitude = BigInt(digits)
  if (magnitude > (sign === '' ? MAX_UINT64 : sign === '+' ? MAX_INT64 : MAX_INT64 + 1n)) return undefined
  return sign === '-' ? -magnitude : magnitude
}

/** A float; one too large for 64 bits stays a string. */
function toFloat(text: string): number | undefined {
  if (!FLOAT.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? unsignedZero(value) : undefined
}

/** The API server's JSON has no negative zero. */
const unsignedZero = (value: number): number => (value === 0 ? 0 : value)

/** The value of a scalar with a tag, or the reason why it has none. */
type Tagged = { readonly value: Scalar } | { readonly reason: string }

const YAML_TAG = 'tag:yaml.org,2002:'

/** The full name of a tag: `!!int` and `!<tag:yaml.org,2002:int>` are the same. */
export function tagName(raw: string): string {
  if (raw.startsWith('!<')) return raw.slice(2, -1)
  return raw.startsWith('!!') ? YAML_TAG + raw.slice(2) : raw
}

/** The value of a plain or quoted scalar with an explicit tag. With an unknown tag it is a string. */
export function resolveTagged(tag: string, text: string): Tagged {
  if (!tag.startsWith(YAML_TAG)) return { value: text }
  const name = tag.slice(YAML_TAG.length)
  if (name === 'binary') return decodeBase64(text)
  const fits = TYPES.get(name)
  if (fits === undefined) return { value: text }
  const value = resolvePlain(text)
  return fits(value, text) ? { value } : { reason: `"${text}" is not a valid ${name}` }
}

const TIMESTAMP =
  /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?(?:Z|[-+]\d{2}:\d{2})| \d{1,2}:\d{1,2}:\d{1,2}(?:\.\d*)?)?$/

const TYPES: ReadonlyMap<string, (value: Scalar, text: string) => boolean> = new Map([
  ['bool', (value: Scalar) => typeof value === 'boolean'],
  ['null', (value: Scalar) => value === null],
  ['float', (value: Scalar) => typeof value === 'number'],
  ['int', (value: Scalar, text: string) => typeof value === 'number' && isWrittenAsInteger(text)],
  ['timestamp', (_: Scalar, text: string) => TIMESTAMP.test(text)],
])

const isWrittenAsInteger = (text: string): boolean => toInteger(text.replaceAll('_', '')) !== undefined

const BASE64 = /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/
const utf8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** A character of several bytes in UTF-8, or a byte that is not UTF-8, in a text of bytes. */
const NOT_ASCII =
  /[\xC2-\xDF][\x80-\xBF]|(?:\xE0[\xA0-\xBF]|[\xE1-\xEC\xEE\xEF][\x80-\xBF]|\xED[\x80-\x9F])[\x80-\xBF]|(?:\xF0[\x90-\xBF]|[\xF1-\xF3][\x80-\xBF]|\xF4[\x80-\x8F])[\x80-\xBF]{2}|[\x80-\xFF]/g

/** Decodes a text of bytes as Go does: each byte that is not UTF-8 becomes U+FFFD. */
const decodeUtf8 = (bytes: string): string =>
  bytes.replace(NOT_ASCII, (char) => utf8.decode(Uint8Array.from(char, (byte) => byte.charCodeAt(0))))

function decodeBase64(text: string): Tagged {
  const code = text.replace(/[\r\n]/g, '')
  if (!BASE64.test(code)) return { reason: 'the value of !!binary is not valid base64' }
  return { value: decodeUtf8(atob(code)) }
}

/**
 * The name of the member whose key is this scalar: kubectl converts numbers and booleans to strings.
 * Undefined where it rejects the key: null, infinities, and integers beyond int64.
 */
export function memberName(key: Scalar, text: string): string | undefined {
  if (typeof key === 'string') return key
  if (key === null) return undefined
  if (typeof key === 'boolean') return String(key)
  const integer = parseInteger(text.replaceAll('_', ''))
  if (integer === undefined) return key === 0 && text.startsWith('-') ? '-0' : floatName(key)
  return integer > MAX_INT64 ? undefined : String(integer)
}

/** A float as a key: the shortest digits that identify a 32-bit float, with an exponent from 1e+06 on. */
function floatName(value: number): string {
  const float = Math.fround(value)
  if (!Number.isFinite(float)) return Number.isNaN(float) ? '.nan' : float > 0 ? '.inf' : '-.inf'
  let precision = 1
  while (precision < 9 && Math.fround(Number(float.toPrecision(precision))) !== float) precision++
  const [digits = '', exponent = ''] = float.toExponential(precision - 1).split('e')
  const power = Number(exponent)
  if (power >= -4 && power < 6) return String(Number(float.toPrecision(precision)))
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`
}
