/** What a view is given. */
export type ViewProps = {
  /** What follows `#` in the address, as it was written. */
  readonly fragment: string
}
