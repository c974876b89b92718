/** What cannot be read or written, as messages for the user. */

/** A file or folder that the user named, or that was found in a folder, and why it is not checked. */
export type InputProblem = {
  /** As the report would name it. */
  readonly file: string
  /** Without the name: `permission denied`. */
  readonly reason: string
}

export { describeSystemError, systemErrorCode } from '../text/system-error.ts'
