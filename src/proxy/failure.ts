/** Why a driver cannot do its work, whatever the configuration is. */
import { describeFileError } from '../text/system-error.ts'

/**
 * - `missing`: the program cannot be started;
 * - `too-old`: its version is older than 1.19.5;
 * - `locked`: another driver that runs has the folder;
 * - `folder`: a file cannot be read or written: read-only, or no space left;
 * - `port`: an address to listen on is in use, and no part names it;
 * - `hang`: nginx did not finish within its time limit;
 * - `crash`: nginx ended without a reason.
 */
export type FailureKind = 'missing' | 'too-old' | 'locked' | 'folder' | 'port' | 'hang' | 'crash'

/** A failure; the message is one line for the user. */
export class DriverFailure extends Error {
  readonly kind: FailureKind
  constructor(kind: FailureKind, message: string) {
    super(message)
    this.name = 'DriverFailure'
    this.kind = kind
  }
}

/** Does something with files; errors of the operating system become a failure of the folder. */
export function withFiles<Made>(work: () => Made): Made {
  try {
    return work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new DriverFailure('folder', describeFileError(error))
    throw error
  }
}
