/** Detects the format of a log from hints of the user and from its first lines. */
import { fromBytes } from './escaping.ts'
import { type FieldMap, fieldText, mapFields, parseObject } from './json-line.ts'
import { createLineReader } from './line-reader.ts'
import { columnsOf, type LogKind, TIME_VARIABLES } from './log.ts'
import { KNOWN_FORMATS, type KnownFormat, type LogFormat, parseLogFormat } from './log-format.ts'
import { isFine, parseTime } from './time.ts'

/** What the user says about the format. */
export type LogHints = {
  /** A known name (`combined`, `json` …) or the text of a `log_format`; undefined to detect it. */
  readonly format: string | undefined
  /** Fields of JSON lines by variable: the field that has its value. */
  readonly fields: ReadonlyMap<string, string>
}

/** The kind of a log; `problem` is a message for the user. */
type DetectedLog = { readonly ok: true; readonly kind: LogKind } | { readonly ok: false; readonly problem: string }

/** The names of formats that `--log-format` accepts. */
export const FORMAT_NAMES: readonly string[] = ['json', ...KNOWN_FORMATS.map(({ name }) => name)]

/** Detects the kind of a log from a sample of its lines (one character a byte, without line breaks). */
export function detectLog(sample: readonly string[], { format, fields }: LogHints): DetectedLog {
  if (format === undefined) return checked(detect(sample, fields), sample)
  if (format === 'json') return checked(jsonKind(sample, fields), sample)
  const known = KNOWN_FORMATS.find(({ name }) => name === format)
  if (known) return checked(textKind(known, sample), sample)
  if (!format.includes('$')) {
    return fail(
      `"${format}" is not a known log format (${FORMAT_NAMES.join(', ')}) and has no variable, such as $remote_addr`,
    )
  }
  const outcome = parseLogFormat(format)
  if (!outcome.ok) return fail(`the log format is not valid: ${outcome.problem}`)
  return checked(
    textKind(sameAsKnown(outcome.format) ?? { name: 'custom format', format: outcome.format }, sample),
    sample,
  )
}

const fail = (problem: string): DetectedLog => ({ ok: false, problem })

/** The known format that equals a format. */
const sameAsKnown = (format: LogFormat): KnownFormat | undefined =>
  KNOWN_FORMATS.find((known) => JSON.stringify(known.format) === JSON.stringify(format))

function checked(kind: LogKind | undefined, sample: readonly string[]): DetectedLog {
  if (!kind) {
    const line = sample.find((text) => text !== '') ?? ''
    const start = `${fromBytes(line.slice(0, 60))}${line.length > 60 ? ' …' : ''}`
    return fail(
      `the format of the log cannot be detected from its first lines; set it with --log-format. The log begins: ${start}`,
    )
  }
  const columns = columnsOf(kind)
  if (!TIME_VARIABLES.some((name) => columns.has(name))) {
    return fail(
      `the log (${kind.name}) has no time of requests: it needs one of ${TIME_VARIABLES.map((name) => `$${name}`).join(', ')}`,
    )
  }
  if (!['request', 'request_uri', 'uri', 'document_uri'].some((name) => columns.has(name))) {
    return fail(`the log (${kind.name}) has no path of requests: it needs one of $request, $request_uri, $uri`)
  }
  return { ok: true, kind }
}

/** JSON if most lines are objects; else the known format that fits most lines, the longest of equals. */
function detect(sample: readonly string[], fields: ReadonlyMap<string, string>): LogKind | undefined {
  const lines = sample.filter((line) => line !== '')
  const objects = lines.filter((line) => parseObject(line) !== undefined).length
  if (objects > 0 && objects * 2 >= lines.length) return jsonKind(sample, fields)
  let best: { readonly known: KnownFormat; readonly fits: number } | undefined
  for (const known of KNOWN_FORMATS) {
    const fits = timesOf(known.format, lines).filter((time) => !Number.isNaN(parseTime(time))).length
    if (fits > (best?.fits ?? 0)) best = { known, fits }
  }
  return best && textKind(best.known, lines)
}

function timesOf(format: LogFormat, lines: readonly string[]): readonly string[] {
  const name = TIME_VARIABLES.find((candidate) =>
    format.parts.some((part) => part.type === 'variable' && part.name === candidate),
  )
  const read = createLineReader(format, name === undefined ? [] : [name])
  return lines.flatMap((line) => read(line)?.[0] ?? [])
}

const textKind = ({ name, format, quoted }: KnownFormat, sample: readonly string[]): LogKind => ({
  name,
  lines: { type: 'text', format, ...(quoted === undefined ? {} : { quoted }) },
  fine: timesOf(format, sample).some(isFine),
})

function jsonKind(sample: readonly string[], named: ReadonlyMap<string, string>): LogKind {
  const objects = sample.flatMap((line) => parseObject(line) ?? [])
  const fields: FieldMap = mapFields(objects, named)
  const timeFields = TIME_VARIABLES.flatMap((name) => fields[name] ?? [])
  const fine = objects.some((object) => timeFields.some((field) => isFine(fieldText(object, field) ?? '')))
  return { name: 'json', lines: { type: 'json', fields }, fine }
}
