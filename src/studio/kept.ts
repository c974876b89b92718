/** What outlives a reload of the page, in this tab: what was typed, and is not stored yet. Nothing of it leaves the browser. */
import { useCallback, useState } from 'preact/hooks'

/** What the browser did not take, as it was too large: kept until the page is left. */
const unstored = new Map<string, unknown>()

/** Keeps a value; undefined forgets it. False where a reload would lose it, as the browser has no room for it. */
export function keep(name: string, value: unknown): boolean {
  unstored.delete(name)
  try {
    if (value === undefined) sessionStorage.removeItem(name)
    else sessionStorage.setItem(name, JSON.stringify(value))
    return true
  } catch {
    // An older one must not come back in its place.
    sessionStorage.removeItem(name)
    unstored.set(name, value)
    return false
  }
}

/** What is kept; undefined for nothing. */
export function keptIn<Value>(name: string): Value | undefined {
  if (unstored.has(name)) return unstored.get(name) as Value
  const text = sessionStorage.getItem(name)
  try {
    return text === null ? undefined : (JSON.parse(text) as Value)
  } catch {
    return undefined
  }
}

/** Forgets everything. */
export function forgetAll(): void {
  unstored.clear()
  sessionStorage.clear()
}

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
