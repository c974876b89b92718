/** A kind of log: what its lines hold and how they are read. Plain data, so that threads can be told of it. */
import { createJsonReader, type FieldMap } from './json-line.ts'
import { createLineReader, type LineReader } from './line-reader.ts'
import type { LogFormat } from './log-format.ts'
import { createTimeReader, parseDuration } from './time.ts'
import { type Columns, createVariables, type Getter, type Variables } from './variables.ts'

/** How the lines of a log are written. */
export type LogKind = {
  /** As people call it: `combined`, `json`, `--log-format`. */
  readonly name: string
  readonly lines:
    | { readonly type: 'text'; readonly format: LogFormat; readonly quoted?: number }
    | { readonly type: 'json'; readonly fields: FieldMap }
  /** True where times have fractions of a second. */
  readonly fine: boolean
}

/** The variables that tell when a request was logged, the best first. */
export const TIME_VARIABLES = ['msec', 'time_iso8601', 'time_local'] as const

/** The variables that a log writes. */
export function columnsOf({ lines }: LogKind): ReadonlySet<string> {
  if (lines.type === 'json') return new Set(Object.keys(lines.fields))
  return new Set(lines.format.parts.flatMap((part) => (part.type === 'variable' ? [part.name] : [])))
}

/** Reads a log's lines for those who said beforehand what they want of them. */
export type OpenLog = {
  /** Before {@link OpenLog.reader}: what is asked for here is what rows will carry. */
  readonly variables: Variables
  /** Milliseconds since the epoch at which a request came; NaN where the line does not tell. */
  readonly arrival: Getter<number>
  /** Milliseconds since the epoch at which it was logged. */
  readonly logged: Getter<number>
  reader(): LineReader
  /** The variables that rows carry, in order. */
  readonly wanted: readonly string[]
}

/** Opens a kind of log; `constants` are values that the user gives instead of the log's. */
export function openLog(kind: LogKind, constants: ReadonlyMap<string, string>): OpenLog {
  const names = columnsOf(kind)
  const wanted: string[] = []
  const columns: Columns = {
    has: (name) => names.has(name),
    slot(name) {
      const known = wanted.indexOf(name)
      return known < 0 ? wanted.push(name) - 1 : known
    },
  }
  const logged = timeGetter(columns)
  return {
    variables: createVariables(columns, constants),
    logged,
    arrival: arrivalGetter(columns, logged, kind.fine),
    reader: () =>
      kind.lines.type === 'json'
        ? createJsonReader(kind.lines.fields, wanted)
        : createLineReader(kind.lines.format, wanted),
    wanted,
  }
}

function timeGetter(columns: Columns): Getter<number> {
  const name = TIME_VARIABLES.find((candidate) => columns.has(candidate))
  if (name === undefined) return () => Number.NaN
  const slot = columns.slot(name)
  const read = createTimeReader()
  return (row) => read(row[slot] ?? '')
}

/** Lines are written when a request ends: it came `$request_time` earlier, where the log has that. */
function arrivalGetter(columns: Columns, logged: Getter<number>, fine: boolean): Getter<number> {
  if (!columns.has('request_time')) return logged
  const slot = columns.slot('request_time')
  const unit = fine ? 1 : 1000
  return (row) => logged(row) - Math.floor(parseDuration(row[slot] ?? '') / unit) * unit
}
