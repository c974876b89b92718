/** The part of the package that tests use. */
declare module 'jsonpatch' {
  /** Applies a patch in place, and answers what came out. Throws where an operation does not apply. */
  export function apply_patch(document: unknown, patch: readonly object[]): unknown
}
