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
