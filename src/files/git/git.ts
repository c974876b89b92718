/** Git as a program: nothing here reads the folders of Git itself. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { dirname } from 'node:path'

/** The result of a Git command. */
export type GitResult = {
  /** The exit code; undefined where Git could not be started. */
  readonly code: number | undefined
  readonly stdout: Buffer
  readonly stderr: string
}

/** Git in one repository. */
export type Git = {
  /** The folder that holds `.git`. */
  readonly root: string
  /** Runs a command to its end. Never rejects. */
  run(...parameters: readonly string[]): Promise<GitResult>
  /** Starts a command that reads its standard input. */
  start(...parameters: readonly string[]): ChildProcessWithoutNullStreams
}

/**
 * The environment without what Git sets for its hooks, as that would make Git use another folder than the one it is
 * started in. Messages are in English, Git must not prompt for a password, looks for a repository no further up, and
 * gets nothing from a remote: the configuration of a partial clone may name a program as its remote.
 */
const environment = (root: string): NodeJS.ProcessEnv => {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = process.env
  return {
    ...rest,
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CEILING_DIRECTORIES: dirname(root),
    GIT_NO_LAZY_FETCH: '1',
    GIT_ALLOW_PROTOCOL: '',
  }
}

/**
 * The configuration of a repository that somebody else has made must run no program. That of the machine and the user
 * stays in force: it says which folders are safe.
 */
const SAFE_CONFIGURATION = [
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.alternateRefsCommand=false',
  'diff.external=',
  'safe.bareRepository=explicit',
].flatMap((setting) => ['-c', setting])

/** Prepares Git for a repository. */
export function createGit(root: string): Git {
  const start: Git['start'] = (...parameters) =>
    spawn('git', ['--no-pager', ...SAFE_CONFIGURATION, ...parameters], {
      cwd: root,
      env: environment(root),
      stdio: 'pipe',
      windowsHide: true,
    })
  return { root, start, run: (...parameters) => waitFor(start(...parameters)) }
}

function waitFor(program: ChildProcessWithoutNullStreams): Promise<GitResult> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  program.stdin.on('error', () => {})
  program.stdin.end()
  program.stdout.on('data', (chunk: Buffer) => parts.stdout.push(chunk))
  program.stderr.on('data', (chunk: Buffer) => parts.stderr.push(chunk))
  return new Promise((resolve) => {
    const end = (code: number | undefined, reason = '') =>
      resolve({ code, stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr).toString() + reason })
    program.on('error', (error) => end(undefined, error.message))
    program.on('close', (code) => end(code ?? 1))
  })
}

/** The standard output as text, without space around it. */
export const outputOf = ({ stdout }: GitResult): string => stdout.toString().trim()

/** The first line of the standard error that is no warning, without the word `fatal` or `error` that it begins with. */
export const errorLineOf = ({ stderr }: Pick<GitResult, 'stderr'>): string =>
  (
    stderr
      .trim()
      .split('\n')
      .find((line) => !line.startsWith('warning: ')) ?? ''
  ).replace(/^(?:fatal|error): /, '')

/** Is called for each blob: with its bytes, or undefined where it is missing or too large. */
type OnBlob = (id: string, bytes: Buffer | undefined) => void

/** Contents of files in a repository, read by one `git cat-file --batch`. */
export type Blobs = {
  /** Reads blobs in the order of their ids. Rejects with a {@link GitFailure} where Git ends early. */
  read(ids: readonly string[], onBlob: OnBlob): Promise<void>
  /** Ends the program, where it was started. */
  close(): void
}

/** Git ended before it did what it was started for. The message is one line for the user. */
export class GitFailure extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'GitFailure'
  }
}

/** Prepares the reader of blobs of at most `maxBytes`; Git is started for the first one. */
export function createBlobs(git: Git, maxBytes: number): Blobs {
  let program: ChildProcessWithoutNullStreams | undefined
  return {
    async read(ids, onBlob) {
      if (ids.length === 0) return
      program ??= git.start('cat-file', '--batch')
      await readBlobs(program, ids, { onBlob, maxBytes })
    },
    close: () => void program?.stdin.end(),
  }
}

type BlobOptions = { readonly onBlob: OnBlob; readonly maxBytes: number }

function readBlobs(
  program: ChildProcessWithoutNullStreams,
  ids: readonly string[],
  { onBlob, maxBytes }: BlobOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const errors: Buffer[] = []
    let left = ids.length
    const parse = createParser(maxBytes, (id, bytes) => {
      onBlob(id, bytes)
      left -= 1
    })
    const onError = (chunk: Buffer) => errors.push(chunk)
    const fail = (error?: unknown) => {
      const reason = errorLineOf({ stderr: Buffer.concat(errors).toString() })
      stop(() => reject(new GitFailure(`Git cannot read its files: ${reason || error || 'it ended early'}`)))
    }
    const onData = (chunk: Buffer) => {
      parse(chunk)
      if (left === 0) stop(resolve)
    }
    const stop = (then: () => void) => {
      program.stdout.off('data', onData)
      program.stderr.off('data', onError)
      program.off('close', fail)
      then()
    }
    program.on('error', fail)
    program.on('close', fail)
    program.stdin.on('error', () => {})
    program.stdout.on('data', onData)
    program.stderr.on('data', onError)
    program.stdin.write(`${ids.join('\n')}\n`)
  })
}

const LINE_FEED = 10

/** Parses `ID blob SIZE`, a line break, the bytes and a line break; or `ID missing`. A chunk can end anywhere. */
function createParser(maxBytes: number, onBlob: OnBlob): (chunk: Buffer) => void {
  let header = ''
  let blob: { readonly id: string; readonly size: number; readonly parts: Buffer[]; seen: number } | undefined
  const finish = ({ id, size, parts }: NonNullable<typeof blob>) => {
    onBlob(id, size > maxBytes ? undefined : Buffer.concat(parts))
    blob = undefined
  }
  const readHeader = (chunk: Buffer, from: number): number => {
    const end = chunk.indexOf(LINE_FEED, from)
    header += chunk.toString('latin1', from, end === -1 ? undefined : end)
    if (end === -1) return chunk.length
    const [id = '', type, size] = header.split(' ')
    header = ''
    if (type === 'missing' || size === undefined) onBlob(id, undefined)
    else blob = { id, size: Number(size), parts: [], seen: 0 }
    return end + 1
  }
  return (chunk) => {
    let at = 0
    while (at < chunk.length) {
      if (!blob) {
        at = readHeader(chunk, at)
        continue
      }
      const end = Math.min(chunk.length, at + blob.size - blob.seen)
      if (blob.size <= maxBytes && end > at) blob.parts.push(chunk.subarray(at, end))
      blob.seen += end - at
      at = end
      // The line break behind the bytes may be in the next chunk.
      if (blob.seen === blob.size && at < chunk.length) {
        at += 1
        finish(blob)
      }
    }
  }
}
