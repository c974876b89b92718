/** What a change removes and adds, as lines. */
import { useMemo } from 'preact/hooks'
import { type ChangedLine, changedLines } from './changed-lines.ts'

type ChangesProps = {
  /** The accessible name. */
  readonly name: string
  readonly before: string
  readonly after: string
  /** Said where nothing differs. */
  readonly nothing: string
}

export function Changes({ name, before, after, nothing }: ChangesProps) {
  const lines = useMemo(() => changedLines(before, after), [before, after])
  if (lines.length === 0) return <p class="muted">{nothing}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what can be scrolled must be reached by the keyboard
    <section class="changes" tabIndex={0} aria-label={name}>
      <pre>
        {lines.map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </pre>
    </section>
  )
}

function Line({ line }: { readonly line: ChangedLine }) {
  if (line.kind === 'hidden') return <span class="hidden-lines">{`… ${line.count} unchanged lines\n`}</span>
  if (line.kind === 'same') return <>{`  ${line.text}\n`}</>
  return line.kind === 'added' ? <ins>{`+ ${line.text}\n`}</ins> : <del>{`- ${line.text}\n`}</del>
}
