/** Adds all values to a list. `push(...values)` needs stack for each, which ends at about 100,000. */
export function append<Value>(to: Value[], values: Iterable<Value>): void {
  for (const value of values) to.push(value)
}
