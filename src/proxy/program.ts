/** The program nginx: its version, and `nginx -t`. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isOlder } from '../nginx/version.ts'
import { describeSystemError, succeeds, systemErrorCode } from '../text/system-error.ts'
import { type ConfigurationFile, MAIN_FILE } from './configuration.ts'
import { DriverFailure, withFiles } from './failure.ts'
import { wordsOfTest } from './words.ts'

/** The first version with the flag `-e`, without which it would write to the error log it was built with. */
const OLDEST_NGINX = '1.19.5'

type Ended = { readonly code: number | null; readonly signal: string | null; readonly output: string }

/** Bytes of output that are kept: nginx writes a line or two, and warnings. */
const LONGEST_OUTPUT = 1024 * 1024

/**
 * Runs the program to its end. Throws a failure where it cannot be started, or has not ended after `limit` milliseconds;
 * then it is killed with what it has started.
 */
export function runProgram(path: string, args: readonly string[], limit: number): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true })
    let output = ''
    const timer = setTimeout(() => {
      killGroup(child)
      reject(new DriverFailure('hang', `"${path} ${args[0]}" has not ended after ${limit} ms`))
    }, limit)
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (output.length < LONGEST_OUTPUT) output += text
    })
    child.once('error', (error) => {
      clearTimeout(timer)
      reject(missing(path, error))
    })
    child.once('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, output })
    })
  })
}

/** Kills a program that was started as the leader of a group, with all that it has started in it. */
export function killGroup({ pid }: Pick<ChildProcess, 'pid'>): void {
  if (pid !== undefined) succeeds(() => process.kill(-pid, 'SIGKILL'), 'ESRCH')
}

/** The failure of a program that cannot be started. Throws what is not an error of the operating system. */
export const missing = (path: string, error: unknown): DriverFailure =>
  new DriverFailure(
    'missing',
    `${path} cannot be started: ${systemErrorCode(error) === 'ENOENT' ? 'no such program' : describeSystemError(error)}`,
  )

/** The version of the program: `1.22.1`. Throws a failure where it is no nginx, or too old. `limit`: milliseconds. */
export async function versionOf(path: string, limit: number): Promise<string> {
  const { output } = await runProgram(path, ['-v'], limit)
  const version = /^nginx version: \S+\/(\d+(?:\.\d+)+)/m.exec(output)?.[1]
  if (version === undefined) throw new DriverFailure('missing', `${path} does not say which version of nginx it is`)
  if (isOlder(version, OLDEST_NGINX))
    throw new DriverFailure('too-old', `${path} is nginx ${version}; ${OLDEST_NGINX} or newer is needed`)
  return version
}

type Trial = {
  readonly program: string
  /** The folder in which one is made for the trial, and removed. */
  readonly folder: string
  /** Milliseconds. */
  readonly limit: number
}

/** Why nginx refuses a configuration, in its own words; undefined where it accepts it. Nothing of it is put into force. */
export async function refusalOf(
  files: readonly ConfigurationFile[],
  { program, folder, limit }: Trial,
): Promise<string | undefined> {
  const prefix = withFiles(() => mkdtempSync(join(folder, 'trial-')))
  try {
    withFiles(() => {
      for (const { name, text } of files) {
        mkdirSync(dirname(join(prefix, name)), { recursive: true })
        writeFileSync(join(prefix, name), text, { mode: 0o600 })
      }
    })
    const args = ['-t', '-q', '-p', prefix, '-c', join(prefix, MAIN_FILE), '-e', 'stderr']
    const { code, output } = await runProgram(program, args, limit)
    return code === 0 ? undefined : wordsOfTest(output, prefix) || `nginx -t ended with code ${code}`
  } finally {
    rmSync(prefix, { recursive: true, force: true })
  }
}
