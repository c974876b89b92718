/** The places of findings as other programs count them: paths from a repository's root, URIs, UTF-16 columns. */

/** Where the files of a report stand: absolute paths with forward slashes. */
export type Base = {
  /** What the report's paths are relative to: the working directory. */
  readonly folder: string
  /** The root of the repository, where something around the run names it. */
  readonly repository: string | undefined
}

/** A file as a URI, relative to the root of the repository where it lies within. */
export type Location = { readonly uri: string; readonly isRelative: boolean }

/** No file at all, such as `<stdin>`. */
const isMadeUp = (file: string): boolean => file.startsWith('<')

/** A file's path from the root of the repository; as the report names it where it lies elsewhere. */
export const pathInRepository = (file: string, base: Base): string => within(file, base) ?? file

/** A file as a URI: relative, or absolute where it lies outside. */
export function locationOf(file: string, base: Base): Location {
  const path = within(file, base)
  if (path !== undefined) return { uri: encodePath(path), isRelative: true }
  const absolute = absolutePath(file, base.folder)
  return { uri: `file://${absolute.startsWith('/') ? '' : '/'}${encodePath(absolute)}`, isRelative: false }
}

/** The path below the root: that of the repository, if the working directory lies in it. Undefined for one outside. */
function within(file: string, { folder, repository }: Base): string | undefined {
  if (isMadeUp(file)) return file
  const root = repository !== undefined && isBelow(folder, repository) ? repository : folder
  const path = absolutePath(file, folder)
  return isBelow(path, root) && path !== root ? path.slice(withSlash(root).length) : undefined
}

const withSlash = (path: string): string => (path.endsWith('/') ? path : `${path}/`)
const isBelow = (path: string, folder: string): boolean => withSlash(path).startsWith(withSlash(folder))

const DRIVE = /^[A-Za-z]:(?=\/)/

function absolutePath(file: string, folder: string): string {
  const whole = file.startsWith('/') || DRIVE.test(file) ? file : `${withSlash(folder)}${file}`
  const kept: string[] = []
  for (const part of whole.split('/'))
    if (part === '..') kept.splice(Math.max(1, kept.length - 1))
    else if (part !== '.' && (part !== '' || kept.length === 0)) kept.push(part)
  return kept.join('/')
}

const encodePath = (path: string): string =>
  path
    .split('/')
    .map((part, index) => (index === 0 && DRIVE.test(`${part}/`) ? part : encodeURIComponent(wellFormed(part))))
    .join('/')

const LONE_SURROGATE = /\p{Cs}/gu

/** Halves of pairs have no encoding: U+FFFD stands for them. */
export const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd')

/** Columns and offsets of one text in UTF-16 units, counted from 1. */
export type Units = {
  /** The column of a line that has `column` in characters. */
  columnOf(line: number, column: number): number
  /** Line and column of an offset. */
  placeOf(offset: number): { readonly line: number; readonly column: number }
}

/** Prepares the columns of a text; lines are looked for once, and only if a column needs them. */
export function createUnits(text: string): Units {
  const hasPairs = /[\ud800-\udbff]/.test(text)
  let known: readonly number[] | undefined
  const starts = () => {
    known ??= lineStarts(text)
    return known
  }
  const pairs = new Map<number, readonly number[]>()
  const pairsOf = (line: number) => {
    const columns = pairs.get(line) ?? columnsOfPairs(text.slice(starts()[line - 1] ?? text.length, starts()[line]))
    pairs.set(line, columns)
    return columns
  }
  return {
    columnOf: (line, column) => (hasPairs ? column + countBelow(pairsOf(line), column) : column),
    placeOf: (offset) => {
      const line = Math.max(1, countBelow(starts(), offset + 1))
      return { line, column: Math.max(0, offset - (starts()[line - 1] ?? 0)) + 1 }
    },
  }
}

/** The columns, in characters, of those that take two units. */
function columnsOfPairs(line: string): readonly number[] {
  const columns: number[] = []
  let column = 0
  for (const character of line) {
    column += 1
    if (character.length > 1) columns.push(column)
  }
  return columns
}

/** A byte order mark has no column. */
function lineStarts(text: string): readonly number[] {
  const starts = [text.startsWith('\ufeff') ? 1 : 0]
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** How many of ascending numbers are below another. */
function countBelow(numbers: readonly number[], limit: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((numbers[middle] ?? 0) < limit) low = middle + 1
    else high = middle
  }
  return low
}
