/** A kind of log: its format and how its lines are read. */
import { createJsonReader, type FieldMap } from './json-line.ts'
import { createLineReader, type LineReader } from './line-reader.ts'
import type { LogFormat } from './log-format.ts'
import { createTimeReader, parseDuration } from './time.ts'
import { type Columns, createVariables, type Getter, type VariableGetters } from './variables.ts'
import type { Wrapper } from './wrapper.ts'

const START_TIME = 'start_time'

/** The format of the lines of a log. Plain data, so that threads can get a copy. */
export type LogKind = {
  /** The name in messages: `combined`, `json`, `custom format`. */
  readonly name: string
  readonly lines:
    | { readonly type: 'text'; readonly format: LogFormat; readonly quoted?: number }
    | { readonly type: 'json'; readonly fields: FieldMap }
  /** True where times have fractions of a second. */
  readonly fine: boolean
  /** What stands around each line; undefined where it is nothing. */
  readonly wrapper?: Wrapper
}

/**
 * The variables with a time, the best first: those of nginx, at which a request was logged, and `$start_time`, our name
 * for the time at which it came, which other proxies log.
 */
export const TIME_VARIABLES = ['msec', 'time_iso8601', 'time_local', START_TIME] as const

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
  const time = timeOf(columns, name)
  if (name !== START_TIME || !columns.has('duration_ms')) return time
  const slot = columns.slot('duration_ms')
  return (row) => time(row) + (Number(row[slot]) || 0)
}

function timeOf(columns: Columns, name: string): Getter<number> {
  const slot = columns.slot(name)
  const read = createTimeReader()
  return (row) => read(row[slot] ?? '')
}

/** nginx writes a line when a request ends: the request came `$request_time` earlier, where the log has that. */
function arrivalGetter(columns: Columns, logged: Getter<number>, fine: boolean): Getter<number> {
  if (columns.has(START_TIME)) {
    const started = timeOf(columns, START_TIME)
    return (row) => {
      const time = started(row)
      return Number.isNaN(time) ? logged(row) : time
    }
  }
  if (!columns.has('request_time')) return logged
  const slot = columns.slot('request_time')
  const unit = fine ? 1 : 1000
  return (row) => logged(row) - Math.floor(parseDuration(row[slot] ?? '') / unit) * unit
}
