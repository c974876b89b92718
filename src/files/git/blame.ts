/** When lines of files were last changed, by Git. */
import { realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { groupBy } from '../../text/group.ts'
import { DISK } from '../discover/file-tree.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { createGit } from './git.ts'

/** A line of a file, counted from 1. */
type Line = { readonly file: string; readonly line: number }

/**
 * The time of the commit that last changed each line, in seconds since 1970; undefined where the file is in no repository, or
 * the line in no commit. One run of Git a file; files are relative to `cwd`.
 */
export async function lastChanges(lines: readonly Line[], cwd: string): Promise<ReadonlyMap<Line, number>> {
  const times = new Map<Line, number>()
  for (const [file, own] of groupBy(lines, (line) => line.file)) {
    const known = await timesIn(file, own, cwd)
    for (const line of own) {
      const time = known.get(line.line)
      if (time !== undefined) times.set(line, time)
    }
  }
  return times
}

async function timesIn(file: string, lines: readonly Line[], cwd: string): Promise<ReadonlyMap<number, number>> {
  const path = realPathOf(resolve(cwd, file))
  const root = path === undefined ? undefined : repositoryOf(dirname(path), DISK)
  if (path === undefined || root === undefined) return new Map()
  const ranges = [...new Set(lines.map(({ line }) => `-L${line},${line}`))]
  const { code, stdout } = await createGit(root).run('blame', '--porcelain', ...ranges, '--', path)
  return code === 0 ? readPorcelain(stdout.toString()) : new Map()
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

/** A commit, the line in its version, and the line in today's. */
const HEAD = /^([0-9a-f]{40,64}) \d+ (\d+)/

/** What was never committed belongs to a commit of zeros. */
const UNCOMMITTED = /^0+$/

function readPorcelain(output: string): ReadonlyMap<number, number> {
  const commitOf = new Map<number, string>()
  const times = new Map<string, number>()
  let commit = ''
  for (const line of output.split('\n')) {
    const [, id, number] = HEAD.exec(line) ?? []
    if (id !== undefined) {
      commit = id
      commitOf.set(Number(number), id)
    } else if (line.startsWith('committer-time ')) times.set(commit, Number(line.slice('committer-time '.length)))
  }
  return new Map(
    [...commitOf].flatMap(([line, id]) => {
      const time = UNCOMMITTED.test(id) ? undefined : times.get(id)
      return time === undefined ? [] : [[line, time] as const]
    }),
  )
}
