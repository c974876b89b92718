/** How many random cases a property has. */

/** `npm run test:nightly` sets it. */
export const ALL_CASES = process.env.SLUICE_ALL_CASES !== undefined

/** What other runs try of them: CI has another seed for each tree of files. */
const SHARE = 1 / 5

/** The parameter of `fc.assert` for a property that has that many cases at night. */
export const runs = (many: number): { readonly numRuns: number } => ({
  numRuns: ALL_CASES ? many : Math.max(20, Math.ceil(many * SHARE)),
})
