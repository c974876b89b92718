/** Git, asked as a program: nothing here reads its folders itself. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'

/** What a Git command answered. */
export type GitAnswer = {
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
  ask(...parameters: readonly string[]): Promise<GitAnswer>
  /** Starts a command that is spoken to. */
  start(...parameters: readonly string[]): ChildProcessWithoutNullStreams
}

/**
 * What would make Git look elsewhere than in the folder where it is started: Git sets these for its own hooks. Git
 * shall answer in English and ask nobody for a password.
 */
const surroundings = (): NodeJS.ProcessEnv => {
  const { GIT_DIR, GIT_WORK_TREE, GIT_INDEX_FILE, GIT_PREFIX, ...rest } = process.env
  return { ...rest, LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0' }
}

/** Prepares Git for a repository. */
export function createGit(root: string): Git {
  const start: Git['start'] = (...parameters) =>
    spawn('git', parameters, { cwd: root, env: surroundings(), stdio: 'pipe', windowsHide: true })
  return { root, start, ask: (...parameters) => finish(start(...parameters)) }
}

function finish(program: ChildProcessWithoutNullStreams): Promise<GitAnswer> {
  const parts = { stdout: [] as Buffer[], stderr: [] as Buffer[] }
  program.stdin.on('error', () => {})
  program.stdin.end()
  program.stdout.on('data', (chunk: Buffer) => parts.stdout.push(chunk))
  program.stderr.on('data', (chunk: Buffer) => parts.stderr.push(chunk))
  return new Promise((resolve) => {
    const answer = (code: number | undefined, reason = '') =>
      resolve({ code, stdout: Buffer.concat(parts.stdout), stderr: Buffer.concat(parts.stderr).toString() + reason })
    program.on('error', (error) => answer(undefined, error.message))
    program.on('close', (code) => answer(code ?? 1))
  })
}

/** What an answer says on its first lines, for people. */
export const textOf = ({ stdout }: GitAnswer): string => stdout.toString().trim()

/** The first line of what Git complains about, without the word that it begins with. */
export const complaintOf = ({ stderr }: GitAnswer): string =>
  (stderr.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error): /, '')
