/** The form that adds something to a list, folded until somebody wants it. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { useKept } from '../use-kept.ts'
import type { Remark } from './api.ts'
import { useAction } from './context.ts'
import { Failure } from './fields.tsx'

type AddFormProps = {
  /** Keeps whether it is open apart from others. */
  readonly name: string
  /** What opens it. */
  readonly summary: string
  readonly button: string
  make(): Promise<void>
  /** Its fields, with what the server said of what was sent. */
  readonly children: ComponentChildren | ((remarks: readonly Remark[]) => ComponentChildren)
}

export function AddForm({ name, summary, button, make, children }: AddFormProps) {
  const { isBusy, problem, remarks, run } = useAction()
  const [isOpen, setIsOpen] = useKept<true | undefined>(`open ${name}`, undefined)
  const opener = useRef<HTMLElement>(null)
  const add = async () => {
    await make()
    setIsOpen(undefined)
    // What had it is hidden now.
    opener.current?.focus()
  }
  return (
    <details class="new" open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open || undefined)}>
      <summary ref={opener}>{summary}</summary>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          run(add)
        }}
      >
        {typeof children === 'function' ? children(remarks) : children}
        <Failure text={problem} />
        <button type="submit" class="primary" disabled={isBusy}>
          {button}
        </button>
      </form>
    </details>
  )
}
