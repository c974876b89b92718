/** A kind of log: its format and how its lines are read. */
import { createJsonReader, type FieldMap } from './json-line.ts'
import { createLineReader, type LineReader } from './line-reader.ts'
import type { LogFormat } from './log-format.ts'
import { createTimeReader, parseDuration } from './time.ts'
import { type Columns, createVariables, type Getter, type VariableGetters } from './variables.ts'

/** The format of the lines of a log. Plain data, so that threads can get a copy. */
export type LogKind = {
  /** The name in messages: `combined`, `json`, `custom format`. */
  readonly name: string
  readonly lines:
    | { readonly type: 'text'; readonly format: LogFormat; readonly quoted?: number }
    | { readonly type: 'json'; readonly fields: FieldMap }
  /** True where times have fractions of a second. */
  readonly fine: boolean
}

/** The variables with the time at which a request was logged, the best first. */
export const TIME_VARIABLES = ['msec', 'time_iso8601', 'time_local'] as const

/** The variables in the lines of a log. */
export function columnsOf({ lines }: LogKind): ReadonlySet<string> {
  if (lines.type === 'json') return new Set(Object.keys(lines.fields))
  return new Set(lines.format.parts.flatMap((part) => (part.type === 'variable' ? [part.name] : [])))
}

/** A log whose wanted variables are collected first, and whose lines are read then. */
type OpenLog = {
  /** To be used before {@link OpenLog.reader}: variables that are looked up here are in the rows. */
  readonly variables: VariableGetters
  /** Milliseconds since the epoch at which a request came; NaN where the line has no valid time. */
  readonly arrival: Getter<number>
  /** Milliseconds since the epoch at which it was logged. */
  readonly logged: Getter<number>
  reader(): LineReader
  /** The variables in the rows, in order. */
  readonly wanted: readonly string[]
}

/** Opens a kind of log; `constants` are values that replace those of the log. */
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

/** A line is written when a request ends: the request came `$request_time` earlier, where the log has that. */
function arrivalGetter(columns: Columns, logged: Getter<number>, fine: boolean): Getter<number> {
  if (!columns.has('request_time')) return logged
  const slot = columns.slot('request_time')
  const unit = fine ? 1 : 1000
  return (row) => logged(row) - Math.floor(parseDuration(row[slot] ?? '') / unit) * unit
}
