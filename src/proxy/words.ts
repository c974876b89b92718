/** What nginx says of a configuration that it refuses. Source: nginx, ngx_conf_log_error; measured on 1.22.1 and 1.31.3. */
import type { ConfigurationFile } from './configuration.ts'
import { type ErrorRecord, parseRecord } from './error-log.ts'

/** Whether nginx accepts a configuration. */
export type Verdict =
  | { readonly accepted: true }
  | {
      readonly accepted: false
      /** nginx's own words, with names of files relative to `nginx.conf`. */
      readonly words: string
      /** The reason is an address that something else listens on. */
      readonly port?: boolean
    }

const EMERGENCY = /\[emerg\] (?:\d+#\d+: )?(.*)/

/** The reason in what `nginx -t` wrote to standard error; without one what else it said, in one line. The same each time. */
export function wordsOfTest(output: string, folder: string): string {
  const reason = EMERGENCY.exec(output)?.[1]
  return relative(reason ?? withoutReason(output).join('; '), folder)
}

/** The level and the message of a line that nginx wrote, before it opened its log or after. */
const TEST_RECORD = /^(?:nginx: |[\d/]{10} [\d:]{8} )\[(\w+)\] (?:\d+#\d+: )?(.*)$/

/** What nginx says at the end of a test, and that it cannot give back the memory which it did not get. */
const CONSEQUENCE = /^nginx: (?:the )?configuration file .* (?:syntax is ok|test failed)$|^munmap\(/

/** What says the cause, without time and process; warnings and consequences only where nothing else is said. */
function withoutReason(output: string): readonly string[] {
  const lines = output.split('\n').flatMap((written) => {
    const line = written.trim()
    const [, level, message = line] = TEST_RECORD.exec(line) ?? []
    const rank = CONSEQUENCE.test(message) ? 0 : level === 'warn' || level === 'notice' ? 1 : 2
    return message === '' ? [] : [{ message, rank }]
  })
  const most = Math.max(...lines.map(({ rank }) => rank))
  return lines.flatMap(({ message, rank }) => (rank === most ? [message] : []))
}

/** The message without the path of the folder, or of that in it that the configuration was read from. */
const relative = (message: string, folder: string): string =>
  ['/conf/', '/a/', '/b/', '/'].reduce((text, place) => text.replaceAll(`${folder}${place}`, ''), message)

/** True for what nginx writes while it serves, which can be a lot. */
export const isAboutRequest = (line: string): boolean =>
  / \[(?:debug|info|warn|error|crit)\] | \[notice\] \d+#\d+: \*/.test(line)

/** Whom to ask about the outcome of a start or reload. */
export type Judged = {
  readonly folder: string
  /** The master that reloads; undefined for one that starts. */
  readonly reloads: number | undefined
  /** Workers that must stop to accept requests before the new configuration alone is in force. */
  readonly old: readonly number[]
}

const STARTED = /^start worker process (\d+)$/
const CRASHED = /^worker process (\d+) exited (?:on signal|with fatal code)/
const ENDED = /^worker process (\d+) exited/

/**
 * What the lines of the error log since a start or a signal say of it; undefined where they do not say it yet. An address
 * in use is tried again five times within 2.5 s, so only the last record about it decides.
 */
export function judgeLog(lines: readonly string[], { folder, reloads, old }: Judged): Verdict | undefined {
  const records = lines.flatMap((line) => parseRecord(line) ?? [])
  const begun =
    reloads === undefined ? 0 : records.findIndex((one) => one.pid === reloads && one.message === 'reconfiguring')
  if (begun === -1) return undefined
  const since = records.slice(begun).filter(({ pid }) => reloads === undefined || pid === reloads || old.includes(pid))
  const started = new Set(since.flatMap(({ message }) => STARTED.exec(message)?.[1] ?? []))
  const crash = since.find(({ message }) => started.has(CRASHED.exec(message)?.[1] ?? ''))
  // The number of a process is another one each time.
  if (crash) return { accepted: false, words: crash.message.replace(/^(worker process) \d+/, '$1') }
  if (started.size === 0) return refusal(since, folder)
  const gone = new Set(since.flatMap((one) => goneIn(one)))
  return old.every((pid) => gone.has(pid)) ? { accepted: true } : undefined
}

function refusal(records: readonly ErrorRecord[], folder: string): Verdict | undefined {
  const emergencies = records.filter(({ level }) => level === 'emerg').map(({ message }) => message)
  const reason = emergencies.find((message) => !isAboutPort(message))
  if (reason !== undefined) return { accepted: false, words: relative(reason, folder) }
  const [first] = emergencies.some((message) => message.startsWith('still could not bind()')) ? emergencies : []
  return first === undefined ? undefined : { accepted: false, words: first, port: true }
}

const isAboutPort = (message: string): boolean =>
  /^bind\(\) to .* failed \(98: /.test(message) || message.startsWith('still could not bind()')

/** A worker that does not accept requests any longer, from its own record or from that of its master. */
function goneIn({ pid, message }: ErrorRecord): readonly number[] {
  const ended = ENDED.exec(message)?.[1]
  if (ended !== undefined) return [Number(ended)]
  return message === 'gracefully shutting down' || message === 'exiting' ? [pid] : []
}

/** Who is to blame by nginx's own words. */
export type Blamed = {
  /** The one changed part that the words name. */
  readonly part?: string
  /** Several changed parts that have the word in question. */
  readonly among: readonly string[]
}

/**
 * The parts that a refusal names: by file and line, or else by the first word in quotes (a zone, a variable, an upstream)
 * or the address that occurs in files of some of them.
 */
export function blame(words: string, files: readonly ConfigurationFile[], parts: ReadonlySet<string>): Blamed {
  const place = / in (\S+):\d+$/.exec(words)?.[1]
  const named = files.find(({ name }) => name === place)?.part
  if (named !== undefined && parts.has(named)) return { part: named, among: [named] }
  const address = /^bind\(\) to (\S+) failed/.exec(words)?.[1]
  const quoted = [...words.matchAll(/"\$?([^"]+)"/g)].map(([, word = '']) => word)
  const listens = address === undefined ? [] : [address, address.slice(address.lastIndexOf(':') + 1)]
  for (const word of [...listens, ...quoted]) {
    const among = partsWith(word, files, parts)
    const [part, other] = among
    if (part !== undefined) return other === undefined ? { part, among } : { among }
  }
  return { among: [] }
}

/** The parts with a file that has a word, not as a piece of a longer one. */
function partsWith(word: string, files: readonly ConfigurationFile[], parts: ReadonlySet<string>): readonly string[] {
  const has = (text: string) => {
    const [first = '', ...others] = text.split(word)
    return others.some((after, index) => !/[\w-]$/.test(others[index - 1] ?? first) && !/^[\w-]/.test(after))
  }
  const found = files.flatMap(({ part, text }) => (part !== undefined && parts.has(part) && has(text) ? [part] : []))
  return [...new Set(found)]
}
