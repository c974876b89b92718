/** Detects the format of a log from hints of the user and from its first lines. */
import { isClientAddress } from './address.ts'
import { fromBytes } from './escaping.ts'
import { type FieldMap, fieldText, mapFields, parseObject } from './json-line.ts'
import { createLineReader } from './line-reader.ts'
import { columnsOf, type LogKind, openLog, TIME_VARIABLES } from './log.ts'
import { KNOWN_FORMATS, type KnownFormat, type LogFormat, parseLogFormat } from './log-format.ts'
import { isFine } from './time.ts'
import { isWrapped, unwrapLines, WRAPPERS, type Wrapper } from './wrapper.ts'

/** What the user says about the format. */
export type LogHints = {
  /** A known name (`combined`, `json` …) or the text of a `log_format`; undefined to detect it. */
  readonly format: string | undefined
  /** Fields of JSON lines by variable: the field that has its value. */
  readonly fields: ReadonlyMap<string, string>
}

/** The kind of a log; `problem` is a message for the user. */
type DetectedLog = { readonly ok: true; readonly kind: LogKind } | { readonly ok: false; readonly problem: string }

/** The names of formats that `--log-format` accepts; of wrappers, the format of the lines in them is detected. */
export const FORMAT_NAMES: readonly string[] = ['json', ...KNOWN_FORMATS.map(({ name }) => name), ...WRAPPERS]

/** Detects the kind of a log from a sample of its lines (one character a byte, without line breaks). */
export function detectLog(sample: readonly string[], hints: LogHints): DetectedLog {
  const { format } = hints
  const named = WRAPPERS.find((wrapper) => wrapper === format)
  if (named !== undefined) return detectWrapped(named, sample, { ...hints, format: undefined })
  const plain = detectPlain(sample, hints)
  const wrapper = WRAPPERS.find((one) => isMostly(sample, (line) => isWrapped(one, line)))
  if (wrapper === undefined) return plain
  const wrapped = detectWrapped(wrapper, sample, hints)
  if (!wrapped.ok || !plain.ok) return wrapped.ok ? wrapped : plain
  return fitting(wrapped.kind, sample) > fitting(plain.kind, sample) ? wrapped : plain
}

/** True where at least half of the lines that are not empty pass. */
function isMostly(sample: readonly string[], passes: (line: string) => boolean): boolean {
  const lines = sample.filter((line) => line !== '')
  return lines.length > 0 && lines.filter(passes).length * 2 >= lines.length
}

function detectWrapped(wrapper: Wrapper, sample: readonly string[], hints: LogHints): DetectedLog {
  const found = detectPlain(unwrapLines(wrapper, sample), hints)
  return found.ok ? { ok: true, kind: { ...found.kind, name: `${wrapper} ${found.kind.name}`, wrapper } } : found
}

function detectPlain(sample: readonly string[], { format, fields }: LogHints): DetectedLog {
  if (format === undefined) return checked(detect(sample, fields), sample)
  const isJson = isMostly(sample, (line) => parseObject(line) !== undefined)
  if (format === 'json' || (isJson && PROXIES_WITH_JSON.includes(format)))
    return checked(jsonKind(sample, fields), sample)
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

/** Proxies whose formats have a form in JSON. */
const PROXIES_WITH_JSON: readonly string[] = ['traefik', 'envoy']

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
  if (isMostly(sample, (line) => parseObject(line) !== undefined)) return jsonKind(sample, fields)
  let best: { readonly kind: LogKind; readonly fits: number } | undefined
  for (const known of KNOWN_FORMATS) {
    const kind = textKind(known, sample)
    const fits = fitting(kind, sample)
    if (fits > (best?.fits ?? 0)) best = { kind, fits }
  }
  return best?.kind
}

/** How well a kind fits some lines: those with a valid time count, and more so those with a plausible address and port. */
function fitting(kind: LogKind, sample: readonly string[]): number {
  const log = openLog(kind, new Map())
  const [address, port] = ['remote_addr', 'server_port'].map(log.variables)
  const read = log.reader()
  const fits = unwrapLines(kind.wrapper, sample).map((line): number => {
    const row = read(line)
    if (!row || Number.isNaN(log.logged(row))) return 0
    const isPlausible = (!address || isClientAddress(address(row))) && /^\d*$/.test(port?.(row) ?? '')
    return isPlausible ? 10 : 1
  })
  return fits.reduce((sum, one) => sum + one, 0)
}

const textKind = ({ name, format, quoted }: KnownFormat, sample: readonly string[]): LogKind => ({
  name,
  lines: { type: 'text', format, ...(quoted === undefined ? {} : { quoted }) },
  fine: timesOf(format, sample).some(isFine),
})

function timesOf(format: LogFormat, lines: readonly string[]): readonly string[] {
  const name = TIME_VARIABLES.find((candidate) =>
    format.parts.some((part) => part.type === 'variable' && part.name === candidate),
  )
  const read = createLineReader(format, name === undefined ? [] : [name])
  return lines.flatMap((line) => read(line)?.[0] ?? [])
}

function jsonKind(sample: readonly string[], named: ReadonlyMap<string, string>): LogKind {
  const objects = sample.flatMap((line) => parseObject(line) ?? [])
  const fields: FieldMap = mapFields(objects, named)
  const timeFields = TIME_VARIABLES.flatMap((name) => fields[name] ?? [])
  const fine = objects.some((object) => timeFields.some((field) => isFine(fieldText(object, field) ?? '')))
  return { name: 'json', lines: { type: 'json', fields }, fine }
}
