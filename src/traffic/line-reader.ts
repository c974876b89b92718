/** Reads the values of variables from lines of a log. Lines are strings of one character a byte. */
import { type Escaping, unescapeValue } from './escaping.ts'
import { type FormatPart, type LogFormat, OPENINGS } from './log-format.ts'

/** The values of a line in the order of the wanted variables; empty where the line has none. */
export type LogRow = readonly string[]

/** Reads one line; undefined for a line that the format cannot have written. */
export type LineReader = (line: string) => LogRow | undefined

/** Variables side by side, and the text behind them; undefined at the end of the line. */
type Group = { readonly names: readonly string[]; readonly end: string | undefined }

/** Compiles a format to a reader of the wanted variables. */
export function createLineReader({ parts, escaping }: LogFormat, wanted: readonly string[]): LineReader {
  const { start, groups } = groupParts(parts)
  const slots = new Map(wanted.map((name, index) => [name, index]))
  const targets = groups.map(({ names }) => names.map((name) => slots.get(name)))
  const empty: readonly string[] = wanted.map(() => '')
  return (line) => {
    if (!line.startsWith(start)) return undefined
    const row = [...empty]
    let from = start.length
    for (let index = 0; index < groups.length; index += 1) {
      const group = groups[index]
      const target = targets[index]
      if (!group || !target) continue
      const to = endOf(line, group, from, index === groups.length - 1)
      if (to < from || !put(line.slice(from, to), { group, target, escaping }, row)) return undefined
      from = to + (group.end?.length ?? 0)
    }
    return row
  }
}

/** A text ends the group before it. */
function groupParts(parts: readonly FormatPart[]): { readonly start: string; readonly groups: readonly Group[] } {
  const [first] = parts
  const groups: { names: string[]; end: string | undefined }[] = []
  let open = false
  for (const part of parts) {
    const group = groups.at(-1)
    if (part.type === 'text') {
      if (group) group.end = part.text
      open = false
    } else if (open && group) group.names.push(part.name)
    else {
      groups.push({ names: [part.name], end: undefined })
      open = true
    }
  }
  return { start: first?.type === 'text' ? first.text : '', groups }
}

/** The end of a group: where the text behind it begins, the last text at the end of the line; -1 where it is missing. */
function endOf(line: string, { end }: Group, from: number, isLast: boolean): number {
  if (end === undefined) return line.length
  if (!isLast) return line.indexOf(end, from)
  return line.endsWith(end) ? line.length - end.length : -1
}

type GroupTarget = {
  readonly group: Group
  readonly target: readonly (number | undefined)[]
  readonly escaping: Escaping
}

/** Puts the values of a group into the row; false where they have characters that nginx would have escaped. */
function put(span: string, { group: { names }, target, escaping }: GroupTarget, row: string[]): boolean {
  if (escaping === 'default' && span.includes('"')) return false
  const values = names.length === 1 ? [span] : splitSpan(span, names)
  for (let index = 0; index < names.length; index += 1) {
    const slot = target[index]
    if (slot !== undefined && row[slot] === '') row[slot] = unescapeValue(values[index] ?? '', escaping)
  }
  return true
}

/** Splits variables without text between them: each ends where the next begins, see `OPENINGS`. */
function splitSpan(span: string, names: readonly string[]): readonly string[] {
  const values: string[] = []
  let rest = span
  for (let index = 1; index <= names.length; index += 1) {
    const end = beginning(rest, names[index - 1] ?? '', names[index])
    values.push(rest.slice(0, end))
    rest = rest.slice(end)
  }
  return values
}

function beginning(rest: string, name: string, next: string | undefined): number {
  if (next === undefined) return rest.length
  if (name === 'is_args') return rest.startsWith('?') ? 1 : 0
  const at = rest.indexOf(OPENINGS[next] ?? '')
  return at < 0 ? rest.length : at
}
