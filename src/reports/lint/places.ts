/** The places of findings in the terms of other programs: paths from a repository's root, URIs, UTF-16 columns. */

import { countBelow, lineStarts } from '../../yaml/locate.ts'

/** Where the files of a report are: absolute paths with forward slashes. */
export type Base = {
  /** The working directory: paths of the report are relative to it. */
  readonly folder: string
  /** The root of the repository; undefined where the environment of the run does not name it. */
  readonly repository: string | undefined
}

/** The URI of a file, relative to the root of the repository for a file in it. */
export type FileLocation = { readonly uri: string; readonly isRelative: boolean }

/** Whether a name is not that of a file: `<stdin>`. */
const isPlaceholder = (file: string): boolean => file.startsWith('<')

/** The path of a file from the root of the repository; outside of it, its name in the report. */
export const pathInRepository = (file: string, base: Base): string => within(file, base) ?? file

/** The URI of a file: relative in the repository, absolute outside. */
export function fileLocation(file: string, base: Base): FileLocation {
  const path = within(file, base)
  if (path !== undefined) return { uri: encodePath(path), isRelative: true }
  const absolute = absolutePath(file, base.folder)
  return { uri: `file://${absolute.startsWith('/') ? '' : '/'}${encodePath(absolute)}`, isRelative: false }
}

/** The path below the root of the repository, or below the working directory if that is outside. Undefined elsewhere. */
function within(file: string, { folder, repository }: Base): string | undefined {
  if (isPlaceholder(file)) return file
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

/** Replaces halves of surrogate pairs, which have no encoding, by U+FFFD. */
const wellFormed = (text: string): string => text.replace(LONE_SURROGATE, '\ufffd')

/** Lines and columns of one text, columns in UTF-16 units; both count from 1. */
export type Units = {
  /** The column in UTF-16 units for a column in characters. */
  columnOf(line: number, column: number): number
  /** The line and column of an offset in UTF-16 units. */
  placeOf(offset: number): { readonly line: number; readonly column: number }
}

/** Creates the columns of a text. Finds its lines once, and only if a column needs them. */
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

/** The columns, in characters, of the characters that take two UTF-16 units. */
function columnsOfPairs(line: string): readonly number[] {
  const columns: number[] = []
  let column = 0
  for (const character of line) {
    column += 1
    if (character.length > 1) columns.push(column)
  }
  return columns
}
