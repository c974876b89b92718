/** Two texts line by line: what was removed, what was added, and how much is the same between. Pure. */
import { diffLines } from 'diff'

/** A line that is shown, or how many unchanged ones are not. */
export type ChangedLine =
  | { readonly kind: 'same' | 'removed' | 'added'; readonly text: string }
  | { readonly kind: 'hidden'; readonly count: number }

/** Unchanged lines that are shown around each change. */
const CONTEXT = 3

/** The lines of a change; none where nothing differs. */
export function changedLines(before: string, after: string): readonly ChangedLine[] {
  const parts = diffLines(before, after).map(({ value, added, removed }) => ({
    kind: added ? ('added' as const) : removed ? ('removed' as const) : ('same' as const),
    lines: value.replace(/\n$/, '').split('\n'),
  }))
  if (parts.every(({ kind }) => kind === 'same')) return []
  return parts.flatMap(({ kind, lines }, index): readonly ChangedLine[] => {
    const shown = lines.map((text) => ({ kind, text }))
    if (kind !== 'same') return shown
    const head = index === 0 ? 0 : CONTEXT
    const tail = index === parts.length - 1 ? 0 : CONTEXT
    const count = shown.length - head - tail
    // A line in place of one line hides nothing.
    if (count < 2) return shown
    return [...shown.slice(0, head), { kind: 'hidden', count }, ...shown.slice(shown.length - tail)]
  })
}

/** Lines that both versions have, lines that one has in place of others, or how many unchanged ones are not shown. */
export type ChangedBlock =
  | { readonly kind: 'same'; readonly lines: readonly string[] }
  | { readonly kind: 'changed'; readonly removed: readonly string[]; readonly added: readonly string[] }
  | { readonly kind: 'hidden'; readonly count: number }

/** Lines of a change, put together so that what was removed stands beside what was added in its place. */
export function changedBlocks(lines: readonly ChangedLine[]): readonly ChangedBlock[] {
  const blocks: ChangedBlock[] = []
  for (const line of lines) {
    const last = blocks.at(-1)
    const merged = last && withLine(last, line)
    if (merged) blocks[blocks.length - 1] = merged
    else blocks.push(line.kind === 'hidden' ? line : blockOf(line))
  }
  return blocks
}

type ShownLine = Exclude<ChangedLine, { readonly kind: 'hidden' }>

const blockOf = ({ kind, text }: ShownLine): ChangedBlock =>
  kind === 'same'
    ? { kind, lines: [text] }
    : { kind: 'changed', removed: kind === 'removed' ? [text] : [], added: kind === 'added' ? [text] : [] }

/** The block with one more line; undefined where the line begins another block. */
function withLine(block: ChangedBlock, line: ChangedLine): ChangedBlock | undefined {
  if (line.kind === 'hidden' || block.kind === 'hidden') return undefined
  if (block.kind === 'same') return line.kind === 'same' ? { ...block, lines: [...block.lines, line.text] } : undefined
  if (line.kind === 'same') return undefined
  return { ...block, [line.kind]: [...block[line.kind], line.text] }
}
