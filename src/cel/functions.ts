/**
 * The functions of CEL in Kubernetes that the library lacks, or has otherwise than the API server: it counts characters as
 * code points, and knows no regular expression but those of RE2. Source: Kubernetes, "Common Expression Language in
 * Kubernetes", and cel-go, `ext/strings.go`.
 */
import { compileLinear } from '../text/linear.ts'
import { compareText } from '../text/order.ts'
import { compileRe2 } from '../text/re2.ts'

/** Why an expression fails, in the words of the API server. */
export class CelFailure extends Error {}

const fail = (reason: string): never => {
  throw new CelFailure(reason)
}

/**
 * Steps that one evaluation may take: as many as the API server allows one expression. A step is a part of the expression
 * that is evaluated, or ten characters or items of a value that are looked at or made.
 */
const MOST_STEPS = 1_000_000

/** The steps of the evaluation that runs. */
const meter = { steps: 0 }

/** Counts steps before they are taken. Throws where there are too many, and at every further one. */
export function spend(steps: number): void {
  meter.steps += steps
  if (meter.steps > MOST_STEPS) throw new CelFailure(TOO_COSTLY)
}

const TOO_COSTLY = `it takes more than ${MOST_STEPS.toLocaleString('en-US')} steps with this object`

/** Begins an evaluation. */
export function startCounting(): void {
  meter.steps = 0
}

/** Why the evaluation had to end, whatever the expression made of that; undefined where it did not. */
export const costProblem = (): string | undefined => (meter.steps > MOST_STEPS ? TOO_COSTLY : undefined)

const spendOn = (...texts: readonly string[]): void => spend(texts.reduce((sum, text) => sum + text.length, 0) / 10)

const charactersOf = (text: string): readonly string[] => {
  spendOn(text)
  return Array.from(text)
}

/** A function of a fixed signature; its name is behind {@link OWN}, so that it takes the place of the library's own. */
type Implementation = readonly [signature: string, run: (...given: never[]) => unknown]

/** The name of a function in its signature: `charAt` in `string.charAt(int): string`. */
export const nameIn = (signature: string): string => signature.split('(')[0]?.split('.').at(-1) ?? ''

/** What the names of the functions of this file begin with. */
export const OWN = 'own_'

const MOST_INT = 9223372036854775807n

const inRange = (value: bigint): bigint =>
  value > MOST_INT || value < -MOST_INT - 1n ? fail('integer overflow') : value

/** As Go's `strconv.FormatFloat(value, 'g', -1, 64)`: with an exponent from 1e+06 on, and below 1e-04. */
function textOfDouble(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'
  const [digits = '0', power = '0'] = value.toExponential().split('e')
  const exponent = Number(power)
  if (exponent >= -4 && exponent < 6) return plainNumber(digits, exponent)
  return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`
}

/** Digits such as `-1.25` and an exponent without an exponent. */
function plainNumber(written: string, exponent: number): string {
  const sign = written.startsWith('-') ? '-' : ''
  const digits = written.replace(/[-.]/g, '')
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${digits}`
  const whole = digits.slice(0, exponent + 1).padEnd(exponent + 1, '0')
  const rest = digits.slice(exponent + 1)
  return `${sign}${whole}${rest === '' ? '' : `.${rest}`}`
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    return fail('invalid UTF-8 in bytes, cannot convert to string')
  }
}

const intOfText = (text: string): bigint =>
  /^[+-]?\d+$/.test(text)
    ? inRange(BigInt(text.replace(/^\+/, '')))
    : fail("type conversion error from 'string' to 'int'")

const intOfDouble = (value: number): bigint =>
  Number.isFinite(value) && value > -(2 ** 63) && value < 2 ** 63 ? BigInt(Math.trunc(value)) : fail('integer overflow')

const CONVERSIONS: readonly Implementation[] = [
  ['string(string): string', (text: string) => text],
  ['string(bool): string', String],
  ['string(int): string', String],
  ['string(uint): string', String],
  ['string(double): string', textOfDouble],
  ['string(bytes): string', textOfBytes],
  ['int(int): int', (value: bigint) => value],
  ['int(uint): int', (value: { valueOf(): bigint }) => inRange(value.valueOf())],
  ['int(double): int', intOfDouble],
  ['int(string): int', intOfText],
  ['int(google.protobuf.Timestamp): int', (time: Date) => BigInt(Math.floor(time.getTime() / 1000))],
]

/** Whether a part stands at a position of a text, both as characters. */
const isAt = (all: readonly string[], part: readonly string[], at: number): boolean =>
  part.every((character, index) => all[at + index] === character)

/** The position of the part in a text, both as characters, from a position on. */
function firstIn(text: string, part: string, from = 0n): bigint {
  const [all, wanted] = [charactersOf(text), charactersOf(part)]
  if (wanted.length === 0) return from
  if (from < 0n) return fail(`index out of range: ${from}`)
  for (let at = Number(from); at <= all.length - wanted.length; at++) if (isAt(all, wanted, at)) return BigInt(at)
  return -1n
}

/** The last position at or before one. */
function lastIn(text: string, part: string, from?: bigint): bigint {
  const [all, wanted] = [charactersOf(text), charactersOf(part)]
  if (wanted.length === 0) return from ?? BigInt(all.length)
  const start = from ?? BigInt(all.length - 1)
  if (start < 0n) return fail(`index out of range: ${start}`)
  if (start >= BigInt(all.length)) return -1n
  for (let at = Math.min(Number(start), all.length - wanted.length); at >= 0; at--)
    if (isAt(all, wanted, at)) return BigInt(at)
  return -1n
}

function characterAt(text: string, at: bigint): string {
  const all = charactersOf(text)
  if (at < 0n || at > BigInt(all.length)) return fail(`index out of range: ${at}`)
  return all[Number(at)] ?? ''
}

function partOf(text: string, start: bigint, end?: bigint): string {
  const all = charactersOf(text)
  const length = BigInt(all.length)
  const last = end ?? length
  if (end !== undefined && start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`)
  if (start < 0n || start > length) return fail(`index out of range: ${start}`)
  if (last < 0n || last > length) return fail(`index out of range: ${last}`)
  return all.slice(Number(start), Number(last)).join('')
}

function replaced(text: string, old: string, by: string, most = -1n): string {
  const pieces = old === '' ? ['', ...charactersOf(text), ''] : split(text, old)
  spend((pieces.length * by.length) / 10)
  const times = most < 0n || most > BigInt(pieces.length - 1) ? pieces.length - 1 : Number(most)
  const joint = old === '' ? '' : old
  return pieces.map((piece, index) => `${index === 0 ? '' : index <= times ? by : joint}${piece}`).join('')
}

function split(text: string, by: string, most = -1n): readonly string[] {
  if (most === 0n) return []
  spendOn(text)
  const pieces = by === '' ? charactersOf(text) : text.split(by)
  if (most < 0n || BigInt(pieces.length) <= most) return pieces
  return [...pieces.slice(0, Number(most) - 1), pieces.slice(Number(most) - 1).join(by)]
}

const SPACE = '[\\t-\\r \\x85\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]'
const FIRST_SPACE = new RegExp(`^${SPACE}+`)
const ONE_SPACE = new RegExp(`^${SPACE}$`)

/** The spaces at the end are searched from there: a search in the whole text would take the square of its length. */
function trimmed(text: string): string {
  const rest = text.replace(FIRST_SPACE, '')
  let end = rest.length
  while (end > 0 && ONE_SPACE.test(rest.charAt(end - 1))) end--
  return rest.slice(0, end)
}

const upper = (text: string): string => text.replace(/[a-z]+/g, (letters) => letters.toUpperCase())
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

/** What was compiled last, by expression. */
const patterns = new Map<string, ReturnType<typeof compileRe2>>()
const MOST_PATTERNS = 100

/** A regular expression that is ready to match a text. The API server counts its steps in the same way. */
function patternFor(text: string, expression: string): ReturnType<typeof compileRe2> {
  spend(Math.ceil(text.length / 10) * Math.ceil(expression.length / 4))
  const known = patterns.get(expression)
  if (known) return known
  spend(expression.length * 10)
  if (!compileLinear(expression)) return fail(`the regular expression ${expression} is not one of RE2, or is too large`)
  if (patterns.size >= MOST_PATTERNS) patterns.clear()
  const pattern = compileRe2(expression)
  patterns.set(expression, pattern)
  return pattern
}

const matches = (text: string, expression: string): boolean => patternFor(text, expression).test(text)

function findAll(text: string, expression: string, most = -1n): readonly string[] {
  const matcher = patternFor(text, expression).matcher(text)
  const found: string[] = []
  while ((most < 0n || BigInt(found.length) < most) && matcher.find()) found.push(matcher.group() ?? '')
  return found
}

const STRINGS: readonly Implementation[] = [
  ['string.charAt(int): string', characterAt],
  ['string.indexOf(string): int', firstIn],
  ['string.indexOf(string, int): int', firstIn],
  ['string.lastIndexOf(string): int', lastIn],
  ['string.lastIndexOf(string, int): int', lastIn],
  ['string.substring(int): string', partOf],
  ['string.substring(int, int): string', partOf],
  ['string.replace(string, string): string', replaced],
  ['string.replace(string, string, int): string', replaced],
  ['string.split(string): list<string>', split],
  ['string.split(string, int): list<string>', split],
  ['string.lowerAscii(): string', lower],
  ['string.upperAscii(): string', upper],
  ['string.trim(): string', trimmed],
  ['string.matches(string): bool', matches],
  ['matches(string, string): bool', matches],
  ['string.find(string): string', (text: string, expression: string) => findAll(text, expression, 1n)[0] ?? ''],
  ['string.findAll(string): list<string>', findAll],
  ['string.findAll(string, int): list<string>', findAll],
  ['string.format(list): string', formatted],
  ['list<string>.join(): string', (texts: readonly unknown[]) => joined(texts, '')],
  ['list<string>.join(string): string', joined],
]

function joined(texts: readonly unknown[], by: string): string {
  return texts.every((text) => typeof text === 'string') ? texts.join(by) : fail('no such overload')
}

type Ordered = bigint | number | string

const isOrdered = (value: unknown): value is Ordered =>
  typeof value === 'bigint' || typeof value === 'number' || typeof value === 'string'

function compare(a: unknown, b: unknown): number {
  spend(1)
  if (!isOrdered(a) || !isOrdered(b) || (typeof a === 'string') !== (typeof b === 'string'))
    return fail('no such overload')
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  return a < b ? -1 : a > b ? 1 : 0
}

/** The first of the least items, or of the greatest. */
const extreme =
  (sign: 1 | -1, name: string) =>
  (items: readonly unknown[]): unknown =>
    items.length === 0
      ? fail(`${name} called on empty list`)
      : items.reduce((best, item) => (compare(item, best) * sign > 0 ? item : best))

function sum(items: readonly unknown[]): bigint | number {
  if (items.every((item) => typeof item === 'bigint')) return inRange(items.reduce((total, item) => total + item, 0n))
  return items.every((item) => typeof item === 'number')
    ? items.reduce((total, item) => total + item, 0)
    : fail('no such overload')
}

const isSorted = (items: readonly unknown[]): boolean =>
  items.every((item, index) => index === 0 || compare(items[index - 1], item) <= 0)

const isNumber = (value: unknown): value is bigint | number => typeof value === 'bigint' || typeof value === 'number'

/** Whether two values are equal: numbers of any type by their value. */
function isSame(a: unknown, b: unknown): boolean {
  spend(1)
  if (isNumber(a)) return isNumber(b) && (a === b || (typeof a !== typeof b && Number(a) === Number(b)))
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => isSame(item, b[index]))
  if (a instanceof Map && b instanceof Map)
    return a.size === b.size && [...a].every(([key, value]) => b.has(key) && isSame(value, b.get(key)))
  return a === b
}

const holds = (items: readonly unknown[], wanted: unknown): boolean => items.some((item) => isSame(item, wanted))
const holdsAll = (items: readonly unknown[], wanted: readonly unknown[]): boolean =>
  wanted.every((one) => holds(items, one))

const ORDERED = ['int', 'double', 'string'] as const

const LISTS: readonly Implementation[] = [
  ...ORDERED.flatMap((type): Implementation[] => [
    [`list<${type}>.min(): ${type}`, extreme(-1, 'min')],
    [`list<${type}>.max(): ${type}`, extreme(1, 'max')],
    [`list<${type}>.isSorted(): bool`, isSorted],
  ]),
  ['list<int>.sum(): int', sum],
  ['list<double>.sum(): double', sum],
  [
    'list.indexOf(dyn): int',
    (items: readonly unknown[], one: unknown) => BigInt(items.findIndex((item) => isSame(item, one))),
  ],
  [
    'list.lastIndexOf(dyn): int',
    (items: readonly unknown[], one: unknown) => BigInt(items.findLastIndex((item) => isSame(item, one))),
  ],
]

/** `'%s has %d'.format([name, count])`: the verbs %s, %d and %f. */
function formatted(template: string, values: readonly unknown[]): string {
  let next = 0
  return template.replace(/%(?:%|(?:\.(\d{1,2}))?(.))/gsu, (whole, digits: string | undefined, verb?: string) => {
    if (whole === '%%') return '%'
    if (next >= values.length) return fail(`index ${next} out of range`)
    const value = values[next++]
    if (verb === 's' && digits === undefined) return textOf(value)
    if (verb === 'd' && typeof value === 'bigint') return String(value)
    if (verb === 'f' && typeof value === 'number') return value.toFixed(Number(digits ?? 6))
    return fail(`could not parse formatting clause: ${whole} of this value`)
  })
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return Number.isInteger(value) ? String(value) : textOfDouble(value)
  if (typeof value === 'bigint' || typeof value === 'boolean' || value === null) return String(value)
  if (Array.isArray(value))
    return `[${value.map((one) => (typeof one === 'string' ? JSON.stringify(one) : textOf(one))).join(', ')}]`
  return fail('no formatting function for a value of this type')
}

/** The functions by signature, without {@link OWN}. */
export const FUNCTIONS: readonly Implementation[] = [...CONVERSIONS, ...STRINGS, ...LISTS]

/** The functions of `sets`, whose first argument is the name itself. */
export const SETS: readonly Implementation[] = [
  ['contains(list, list): bool', (_: unknown, a: readonly unknown[], b: readonly unknown[]) => holdsAll(a, b)],
  [
    'intersects(list, list): bool',
    (_: unknown, a: readonly unknown[], b: readonly unknown[]) => a.some((one) => holds(b, one)),
  ],
  [
    'equivalent(list, list): bool',
    (_: unknown, a: readonly unknown[], b: readonly unknown[]) => holdsAll(a, b) && holdsAll(b, a),
  ],
]

/** The functions that the library has as the API server has them, by name: those of texts, lists, types and times. */
export const KEPT: ReadonlySet<string> = new Set(
  'size type dyn bool bytes uint double duration timestamp has contains startsWith endsWith all exists exists_one map filter hasValue value or orValue optMap optFlatMap of none ofNonZeroValue getFullYear getMonth getDate getDayOfMonth getDayOfWeek getDayOfYear getHours getMinutes getSeconds getMilliseconds'.split(
    ' ',
  ),
)
