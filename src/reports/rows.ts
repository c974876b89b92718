/** Rows of a page for people: a label, and beside it text that is wrapped at the width of the page. */
import { escapeUnsafe, widthOf } from './characters.ts'
import { type Paint, wrap } from './style.ts'

/** Columns of a page where no terminal is wider or narrower. */
const PAGE_WIDTH = 80
const NARROWEST = 40

/** How a page is written. */
export type PageContext = {
  readonly color: boolean
  /** Columns of the terminal; undefined where there is none. */
  readonly width: number | undefined
}

/** The columns to write in, given those of the terminal. */
export const pageWidth = (columns: number | undefined): number =>
  Math.max(NARROWEST, Math.min(columns ?? PAGE_WIDTH, PAGE_WIDTH))

/** How rows are laid out. */
export type RowLayout = {
  readonly paint: Paint
  readonly width: number
  /** Columns before the label. */
  readonly indent: number
  /** Columns of the label with the space behind it. */
  readonly labels: number
}

/** One row as lines. Its text may come from anywhere, so it is made safe for a terminal. */
export function row(label: string, text: string, { paint, width, indent, labels }: RowLayout): readonly string[] {
  const before = indent + labels
  const [first = '', ...rest] = wrap(escapeUnsafe(text), width - before, widthOf)
  const head = `${' '.repeat(indent)}${paint('faint', label)}${' '.repeat(Math.max(1, labels - label.length))}${first}`
  return [head.trimEnd(), ...rest.map((line) => ' '.repeat(before) + line)]
}

/** How the lines of a table are written, whose columns are as wide as the widest of their cells. Cells must be safe. */
export function alignColumns(
  rows: readonly (readonly string[])[],
): (cells: readonly string[], color?: (text: string, column: number) => string) => string {
  const widths: number[] = []
  for (const cells of rows)
    for (const [column, cell] of cells.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
  return (cells, color = (text) => text) =>
    cells
      .map((cell, column) => color(cell, column) + ' '.repeat((widths[column] ?? 0) - widthOf(cell)))
      .join('  ')
      .trimEnd()
}

/** A table with a head. Cells may come from anywhere, so they are made safe for a terminal. */
export function tableText(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows.map((cells) => cells.map(escapeUnsafe))]
  const line = alignColumns(all)
  return all.map((cells) => `${line(cells)}\n`).join('')
}

/** Words as a sentence lists them: `a, b and c`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** `shop/coffee`, or the name alone where the namespace is not known. */
export const displayName = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  namespace === '' ? name : `${namespace}/${name}`
