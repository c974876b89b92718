/** Two versions of a text side by side, or one below the other where there is little room. */
import { useMemo } from 'preact/hooks'
import { type ChangedBlock, changedBlocks, changedLines } from './changed-lines.ts'
import { Scrolled } from './scrolled.tsx'

export type SideBySideProps = {
  readonly before: string
  readonly after: string
  /** What the versions are called, such as `Earlier version`. */
  readonly beforeLabel: string
  readonly afterLabel: string
}

export function SideBySide({ before, after, beforeLabel, afterLabel }: SideBySideProps) {
  const blocks = useMemo(() => changedBlocks(changedLines(before, after)), [before, after])
  if (blocks.length === 0)
    return (
      <p class="muted">
        {beforeLabel} and {afterLabel} do not differ.
      </p>
    )
  return (
    <Scrolled class="sides" label={`${beforeLabel} and ${afterLabel}`}>
      <div class="sides-row sides-head">
        <div>{beforeLabel}</div>
        <div>{afterLabel}</div>
      </div>
      {blocks.map((block, index) => (
        <BlockShown key={index} block={block} />
      ))}
    </Scrolled>
  )
}

function BlockShown({ block }: { readonly block: ChangedBlock }) {
  if (block.kind === 'hidden') return <div class="sides-hidden">{`… ${block.count} unchanged lines`}</div>
  if (block.kind === 'changed')
    return (
      <div class="sides-row">
        <div>
          {block.removed.map((text, index) => (
            <del key={index}>
              <Sign sign="−" word="removed" />
              {`${text}\n`}
            </del>
          ))}
        </div>
        <div>
          {block.added.map((text, index) => (
            <ins key={index}>
              <Sign sign="+" word="added" />
              {`${text}\n`}
            </ins>
          ))}
        </div>
      </div>
    )
  const lines = block.lines.map((text, index) => <div key={index}>{`${text}\n`}</div>)
  return (
    <div class="sides-row">
      <div>{lines}</div>
      <div class="sides-again" aria-hidden="true">
        {lines}
      </div>
    </div>
  )
}

/** What marks a line for the eye, and in words for who hears the page. */
function Sign({ sign, word }: { readonly sign: string; readonly word: string }) {
  return (
    <>
      <span class="sides-sign" aria-hidden="true">
        {sign}
      </span>
      <span class="sides-word">{`${word}: `}</span>
    </>
  )
}
