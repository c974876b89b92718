/** `--within`: the folder that is looked up in, of which only what is named is judged. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { reasonOf } from '../../files/input-problem.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import type { Args, Flags } from '../core/flags.ts'
import { InputError } from '../core/io.ts'

export const WITHIN_FLAGS = {
  within: { value: 'DIR', summary: 'look up in all files of DIR, judge the named ones; repeatable' },
} as const satisfies Flags

/**
 * Reads the flag; undefined where it is not given. Throws {@link InputError} where it names no folder, or where nothing
 * is named that lies in one.
 */
export function readWithin(
  given: Args<keyof typeof WITHIN_FLAGS | 'cluster'>,
  cwd: string,
): readonly string[] | undefined {
  if (!given.has('within')) return undefined
  if (given.has('cluster')) throw new InputError('--within is for files: without --cluster')
  if (given.positionals.includes('-'))
    throw new InputError('--within judges files of a folder: without the standard input (-)')
  const folders = given.values('within')
  for (const folder of folders) {
    const problem = problemOf(resolve(cwd, folder))
    if (problem !== undefined) throw new InputError(escapeUnsafe(`--within ${folder}: ${problem}`))
  }
  return folders
}

function problemOf(path: string): string | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : 'a file, where a folder is expected'
  } catch (error) {
    return reasonOf(error)
  }
}
