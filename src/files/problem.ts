/** What cannot be read, in words. */

/** Something that the user named or that a folder holds, and why it is not judged. */
export type InputProblem = {
  /** As the report would name it. */
  readonly file: string
  /** Without place: `permission denied`. */
  readonly reason: string
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or folder',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  ELOOP: 'a loop of symbolic links',
  ENOTDIR: 'a part of the path is no folder',
  EISDIR: 'a folder, where a file is expected',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files',
  EIO: 'the disk reports an error',
  ENOSPC: 'no space left on the device',
  EDQUOT: 'no space left of what the user may take',
  EROFS: 'the file system is read-only',
}

/** Why the operating system refused, for people; an error of another kind is thrown on. */
export function reasonOf(error: unknown): string {
  const code = codeOf(error)
  if (code === undefined) throw error
  return REASONS[code] ?? code
}

/** The code of an operating system's error (`ENOENT`), or undefined where it is none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('syscall' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
