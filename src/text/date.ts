/** Days in UTC, written `2027-01-31`. */

/** True for a day of the calendar, written `2027-01-31`. */
export function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The day of a moment in UTC, in milliseconds since 1970; undefined outside of the years that a date can name. */
export function dateOf(time: number): string | undefined {
  const date = new Date(time)
  const text = Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 'YYYY-MM-DD'.length)
  return isDate(text) ? text : undefined
}
