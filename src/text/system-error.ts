/** Errors of the operating system as messages for the user. */

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'a loop of symbolic links',
  ENOTDIR: 'a part of the path is not a folder',
  EISDIR: 'expected a file, found a folder',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'the disk reports an error',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'disk quota exceeded',
  EROFS: 'the file system is read-only',
  EFBIG: 'the file is too large',
  ECONNREFUSED: 'the connection is refused: nothing listens there',
  ECONNRESET: 'the connection was closed by the other side',
  EHOSTUNREACH: 'the host cannot be reached',
  ENOTFOUND: 'no such host',
  ETIMEDOUT: 'no connection in time',
  OUTSIDE: 'a link leads out of the working tree, so it is not written; name the path that the link leads to',
  NOT_A_FILE: 'expected a file, found a pipe, a socket or a device',
}

/** Describes an error of the operating system. Any other error is thrown again: it is a fault in sluice. */
export function describeSystemError(error: unknown): string {
  const code = systemErrorCode(error)
  if (code === undefined) throw error
  return REASONS[code] ?? code
}

/** An error of the kind that the operating system reports, for what is found out without it. */
export const fileError = (code: 'EFBIG' | 'EISDIR' | 'NOT_A_FILE' | 'OUTSIDE', path: string): Error =>
  Object.assign(new Error(`${code}: ${REASONS[code]}, open '${path}'`), { code, syscall: 'open', path })

/** Does something. False where the operating system reports this error (`ENOENT`); throws any other. */
export function succeeds(work: () => unknown, unless: string): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (systemErrorCode(error) === unless) return false
    throw error
  }
}

/** The code of an operating system's error (`ENOENT`); undefined for other errors. */
export function systemErrorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** An error that a file may be the reason of, in one line: the path of the file and what is wrong, or else its message. */
export function describeFileError(error: unknown): string {
  const path = error instanceof Error && 'path' in error && typeof error.path === 'string' ? `${error.path}: ` : ''
  if (systemErrorCode(error) !== undefined) return path + describeSystemError(error)
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? ''
}
