/** The formats of times in logs. Source: nginx log_format (`$time_local`, `$time_iso8601`, `$msec`), RFC 3339. */

const MONTHS: readonly string[] = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const LOCAL = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/

/** `05/Jan/2026:13:00:59 +0100` to milliseconds since the epoch; NaN for anything else. */
export function parseLocalTime(text: string): number {
  const match = LOCAL.exec(text)
  if (!match) return Number.NaN
  const [day, year, hour, minute, second] = [match[1], match[3], match[4], match[5], match[6]].map(Number)
  const month = MONTHS.indexOf(match[2] ?? '')
  const offset = (Number(match[8]) * 60 + Number(match[9])) * (match[7] === '-' ? -1 : 1)
  return utc([year, month, day], [hour, minute, second], offset)
}

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?(?: ?(?:Z|([+-])(\d{2}):?(\d{2})|UTC))?$/

/** `2026-01-05T13:00:59.123+01:00` to milliseconds since the epoch; without an offset it is UTC. NaN for anything else. */
function parseIsoTime(text: string): number {
  const match = ISO.exec(text)
  if (!match) return Number.NaN
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number)
  const offset = match[8] === undefined ? 0 : (Number(match[9]) * 60 + Number(match[10])) * (match[8] === '-' ? -1 : 1)
  const milliseconds = match[7] === undefined ? 0 : Math.floor(Number(`0.${match[7]}`) * 1000 + 1e-6)
  return utc([year, month === undefined ? undefined : month - 1, day], [hour, minute, second], offset) + milliseconds
}

type Triple = readonly (number | undefined)[]

/** Minutes: no offset from UTC is larger. */
const LARGEST_OFFSET = 14 * 60

/** NaN for a time that does not exist; a leap second counts as the next one. */
function utc(
  [year = 0, month = -1, day = 0]: Triple,
  [hour = 0, minute = 0, second = 0]: Triple,
  offset: number,
): number {
  const date = new Date(Date.UTC(year, month, day))
  const isDate = date.getUTCFullYear() === year && date.getUTCMonth() === month && date.getUTCDate() === day
  const isTime = hour < 24 && minute < 60 && second <= 60 && Math.abs(offset) <= LARGEST_OFFSET
  return isDate && isTime ? Date.UTC(year, month, day, hour, minute, second) - offset * 60_000 : Number.NaN
}

const EPOCH = /^(\d{1,17})(?:\.(\d{1,9}))?$/

/** `$msec` (`1767614459.123`), or whole seconds, milliseconds or microseconds since the epoch by their size. NaN for anything else. */
function parseEpoch(text: string): number {
  const match = EPOCH.exec(text)
  if (!match) return Number.NaN
  const whole = Number(match[1])
  if (whole >= 1e14) return Math.floor(whole / 1000)
  if (whole >= 1e11) return whole
  return whole * 1000 + Number((match[2] ?? '').padEnd(3, '0').slice(0, 3))
}

/** Milliseconds since the epoch from any of the three formats; NaN for anything else. */
export function parseTime(text: string): number {
  if (text.charCodeAt(2) === 0x2f) return parseLocalTime(text)
  return text.charCodeAt(4) === 0x2d ? parseIsoTime(text) : parseEpoch(text)
}

/** True for times with fractions of a second. */
export function isFine(text: string): boolean {
  if (EPOCH.test(text)) return text.includes('.') || text.length > 11
  return /:\d{2}[.,]\d/.test(text)
}

/** Seconds with a fraction, as in `$request_time`, to milliseconds; 0 for anything else. */
export function parseDuration(text: string): number {
  const match = EPOCH.exec(text)
  return match ? Number(match[1]) * 1000 + Number((match[2] ?? '').padEnd(3, '0').slice(0, 3)) : 0
}

/** Like {@link parseTime}, but remembers the last time: most lines of a log have the same time as the line before. */
export function createTimeReader(): (text: string) => number {
  let lastText = ''
  let lastTime = Number.NaN
  return (text) => {
    if (text !== lastText) {
      lastText = text
      lastTime = parseTime(text)
    }
    return lastTime
  }
}
