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

/** Takes whole lines, and loses none without counting it. */
export type Lines = {
  write(line: string): void
  /** How many could not be written so far. */
  lost(): number
}

/**
 * Lines of a log that may be lost, as its disk is full or nobody reads it: their number is the first line that can be
 * written again. `offer` calls `onLost`, now or later, for a line that it could not write; `onLoss` gets the reason for the
 * first of several.
 */
export function countLost(
  offer: (line: string, onLost: (reason: string) => void) => void,
  onLoss: (reason: string) => void,
): Lines {
  let lost = 0
  let unsaid = 0
  const notice = createLog((line) => {
    const said = unsaid
    unsaid = 0
    offer(line, () => {
      unsaid += said
    })
  }, 'info')
  return {
    lost: () => lost,
    write(line) {
      if (unsaid > 0) notice.warn({ lines: unsaid }, 'lines of this log are lost: they could not be written')
      offer(line, (reason) => {
        lost += 1
        unsaid += 1
        if (unsaid === 1) onLoss(reason)
      })
    },
  }
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
