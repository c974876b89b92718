/** nginx's error log as a stream of records. Source: nginx, error_log; ngx_log_error_core. */
import { closeSync, fstatSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { StringDecoder } from 'node:string_decoder'

/** A record of the error log. */
export type ErrorRecord = {
  /** `debug`, `info`, `notice`, `warn`, `error`, `crit`, `alert` or `emerg`. */
  readonly level: string
  readonly pid: number
  /** Without time, process and connection; at most 2,048 bytes. */
  readonly message: string
}

const RECORD = /^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d \[(\w+)\] (\d+)#\d+: (?:\*\d+ )?(.*)$/s

/** Reads a line; undefined for what nginx did not write as a record, such as the words of a loader. */
export function parseRecord(line: string): ErrorRecord | undefined {
  const [, level, pid, message] = RECORD.exec(line) ?? []
  return message === undefined ? undefined : { level: String(level), pid: Number(pid), message }
}

/** What is written to the log from now on. */
export type ErrorLog = {
  /** Reads what is new, and gives each line to every subscriber. */
  read(): void
  /** Gives it the lines from now on. Returns what ends the subscription. */
  subscribe(onLine: (line: string) => void): () => void
  /** Empties a log that has become larger, once all of it was read. */
  empty(largest: number): void
  close(): void
}

const CHUNK = 64 * 1024

/** Characters of a line that is not complete; more are dropped. nginx writes less. */
const LONGEST_LINE = 64 * 1024

/**
 * Follows a log that may not exist yet, from its end. A file that takes the place of the old one (rotation) is read from its
 * beginning, when it has content, after the rest of the old one; so is one that has become shorter. At most `most` bytes
 * are read at once.
 */
export function openErrorLog(path: string, most = Number.POSITIVE_INFINITY): ErrorLog {
  const subscribers = new Set<(line: string) => void>()
  const buffer = Buffer.allocUnsafe(CHUNK)
  let decoder = new StringDecoder('utf8')
  let file = open(path)
  let offset = file === undefined ? 0 : fstatSync(file).size
  let rest = ''
  const add = (text: string) => {
    const lines = (rest + text).split('\n')
    rest = (lines.pop() ?? '').slice(0, LONGEST_LINE)
    for (const line of lines) for (const onLine of [...subscribers]) onLine(line)
  }
  const readFile = (descriptor: number) => {
    if (fstatSync(descriptor).size < offset) offset = 0
    for (let left = most; left > 0; ) {
      const length = readSync(descriptor, buffer, 0, CHUNK, offset)
      if (length === 0) return true
      left -= length
      offset += length
      add(decoder.write(buffer.subarray(0, length)))
    }
    return false
  }
  const restart = () => {
    if (file !== undefined) closeSync(file)
    file = open(path)
    offset = 0
    rest = ''
    decoder = new StringDecoder('utf8')
  }
  const read = () => {
    if (file === undefined) restart()
    if (file === undefined || !readFile(file) || !isReplaced(path, file)) return
    restart()
    if (file !== undefined) readFile(file)
  }
  return {
    read,
    subscribe(onLine) {
      read()
      subscribers.add(onLine)
      return () => subscribers.delete(onLine)
    },
    empty(largest) {
      // What nginx writes between these two is lost: mostly nothing, and never more than a few lines.
      if (file === undefined || offset <= largest || isReplaced(path, file) || !readFile(file)) return
      truncateSync(path)
      offset = 0
    },
    close() {
      if (file !== undefined) closeSync(file)
      file = undefined
      subscribers.clear()
    },
  }
}

function open(path: string): number | undefined {
  try {
    return openSync(path, 'r')
  } catch {
    return undefined
  }
}

/** True where the path leads to another file, which has content. */
function isReplaced(path: string, descriptor: number): boolean {
  const now = statSync(path, { throwIfNoEntry: false })
  return now !== undefined && now.size > 0 && now.ino !== fstatSync(descriptor).ino
}
