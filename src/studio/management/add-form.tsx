/** The form that adds something to a list, folded until somebody wants it. */
import type { ComponentChildren } from 'preact'
import { useAction } from './context.ts'
import { Failure } from './fields.tsx'

type AddFormProps = {
  /** What opens it. */
  readonly summary: string
  readonly button: string
  make(): Promise<void>
  /** Its fields. */
  readonly children: ComponentChildren
}

export function AddForm({ summary, button, make, children }: AddFormProps) {
  const { isBusy, problem, run } = useAction()
  return (
    <details class="new">
      <summary>{summary}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(make)
        }}
      >
        {children}
        <Failure text={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          {button}
        </button>
      </form>
    </details>
  )
}
