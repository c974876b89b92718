/** The part of the package that tests use. */
declare module 'jsonpatch' {
  /** Applies a patch in place, and returns the result. Throws where an operation does not apply. */
  export function apply_patch(document: unknown, patch: readonly object[]): unknown
}
