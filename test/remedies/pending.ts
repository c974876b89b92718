/** Messages whose remedies are still to be carried out. A message leaves this list with its proof. */
export const PENDING: Readonly<Record<string, readonly string[]>> = {
  'gateway/duplicate-object': ['policy', 'target'],
  'gateway/target-namespace': ['pruned'],
  'gateway/key-unknown-variable': ['undefined', 'module', 'build'],
  // The header that is meant may be missing: another rule then says so.
  'gateway/key-name-cut': ['header', 'argument', 'cookie'],
  'gateway/key-constant': ['present', 'second'],
  'gateway/key-change-without-zone-resize': ['reused'],
}
