/** What outlives a reload of the page, in this tab: what was typed, and is not stored yet. Nothing of it leaves the browser. */

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
