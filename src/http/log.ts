/** The log of a server: one JSON object per line. */
import { pino } from 'pino'

/** Logs what happened: members for programs, and a message for people. */
type LogLine = (fields: Readonly<Record<string, unknown>>, message: string) => void

/** A log with four levels. */
export type Log = {
  readonly debug: LogLine
  readonly info: LogLine
  readonly warn: LogLine
  readonly error: LogLine
}

/** Creates a log. `write` gets whole lines. A field `error` is logged with its type, message and stack. */
export function createLog(write: (line: string) => void, level: 'debug' | 'info'): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { error: pino.stdSerializers.err },
    },
    { write },
  )
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  }
}
