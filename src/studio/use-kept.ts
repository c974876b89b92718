/** States that are kept in the tab. */
import { useCallback, useState } from 'preact/hooks'
import { keep, keptIn } from './kept.ts'

/** A state that outlives a reload of the page. */
export function useKept<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const [state, setState] = useState<{ readonly name: string; readonly value: Value }>(() => ({
    name,
    value: keptIn(name) ?? initial,
  }))
  const value = state.name === name ? state.value : (keptIn<Value>(name) ?? initial)
  const set = useCallback(
    (next: Value) => {
      keep(name, next)
      setState({ name, value: next })
    },
    [name],
  )
  return [value, set]
}

/** The fields of a form, of which some were typed. */
export type KeptFields<Fields> = {
  readonly fields: Fields
  set(change: Partial<Fields>): void
  forget(): void
}

/** The fields of a form that outlive a reload. No password may be among them. */
export function useKeptFields<Fields extends object>(name: string, empty: Fields): KeptFields<Fields> {
  const [kept, setKept] = useKept<Partial<Fields> | undefined>(name, undefined)
  return {
    fields: { ...empty, ...kept },
    // Of what is kept, and not of what was last drawn: several fields may be filled in at once.
    set: (change) => setKept({ ...keptIn<Partial<Fields>>(name), ...change }),
    forget: () => setKept(undefined),
  }
}
