/**
 * When lines were committed, as `git blame` says. Only what is in the last commit is asked for, and lines of the disk are
 * looked up in it: of a file on the disk, Git would run the filters that the repository names.
 */
import { basename, dirname, join, relative } from 'node:path'
import { dateOf } from '../../text/date.ts'
import { groupBy } from '../../text/group.ts'
import { DISK } from '../discover/file-tree.ts'
import { repositoryOf } from '../discover/git-ignore.ts'
import { withSlashes } from '../paths.ts'
import { createGit, type Git, outputOf } from './git.ts'

/** A line of a file, from 1. */
export type FileLine = { readonly path: string; readonly line: number }

/**
 * The day in UTC of the commit that brought each line, in the order of the lines. Undefined outside of a repository, for
 * what is not committed as it is, and where the history of a shallow clone ends: what cannot be known is not guessed.
 */
export async function commitDates(lines: readonly FileLine[]): Promise<readonly (string | undefined)[]> {
  const dates = new Map<string, ReadonlyMap<number, string>>()
  for (const [path, own] of groupBy(lines, (one) => one.path))
    dates.set(
      path,
      await datesIn(
        path,
        own.map(({ line }) => line),
      ),
    )
  return lines.map(({ path, line }) => dates.get(path)?.get(line))
}

const NONE: ReadonlyMap<number, string> = new Map()

async function datesIn(path: string, lines: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const found = fileIn(path)
  if (!found) return NONE
  const { git, name, text } = found
  const committed = await git.run('cat-file', 'blob', `HEAD:${name}`)
  if (committed.code !== 0) return NONE
  const lineThen = alignLines(linesOf(text), linesOf(committed.stdout.toString()))
  const asked = lines.flatMap((line) => {
    const then = lineThen(line)
    return then === undefined ? [] : [{ line, then }]
  })
  if (asked.length === 0) return NONE
  const byLine = await blame(git, name, [...new Set(asked.map(({ then }) => then))])
  return new Map(
    asked.flatMap(({ line, then }) => {
      const date = byLine.get(then)
      return date === undefined ? [] : [[line, date] as const]
    }),
  )
}

/** The file in its repository, with its text on the disk; undefined outside of any, and where it cannot be read. */
function fileIn(path: string): { readonly git: Git; readonly name: string; readonly text: string } | undefined {
  try {
    const folder = DISK.real(dirname(path))
    const root = repositoryOf(folder, DISK)
    if (root === undefined || DISK.isLink(path)) return undefined
    const name = withSlashes(relative(root, join(folder, basename(path))))
    return { git: createGit(root), name, text: Buffer.from(DISK.read(path)).toString() }
  } catch {
    return undefined
  }
}

const linesOf = (text: string): readonly string[] => text.split(/\r?\n/)

/** Finds lines in an earlier text: those before and behind all changes, and between them those that are there once. */
function alignLines(now: readonly string[], then: readonly string[]): (line: number) => number | undefined {
  const shorter = Math.min(now.length, then.length)
  let before = 0
  while (before < shorter && now[before] === then[before]) before += 1
  let behind = 0
  while (behind < shorter - before && now.at(-1 - behind) === then.at(-1 - behind)) behind += 1
  const once = (all: readonly string[]) => {
    const places = groupBy([...all.keys()].slice(before, all.length - behind), (index) => all[index])
    return (text: string | undefined) => (places.get(text)?.length === 1 ? places.get(text)?.[0] : undefined)
  }
  const [onceNow, onceThen] = [once(now), once(then)]
  return (line) => {
    if (line <= before) return line
    if (line > now.length - behind) return line - now.length + then.length
    const text = now[line - 1]
    const index = onceNow(text) === undefined ? undefined : onceThen(text)
    return index === undefined ? undefined : index + 1
  }
}

/** Above so many lines the whole file is asked for: a command line has an end. */
const MOST_RANGES = 200

/** The days of lines in the last commit. */
async function blame(git: Git, name: string, lines: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const ranges = lines.length > MOST_RANGES ? [] : lines.flatMap((line) => ['-L', `${line},${line}`])
  const options = ['--porcelain', '--no-textconv', ...ranges, 'HEAD', '--', name]
  const [result, shallow] = await Promise.all([
    git.run('-c', 'blame.ignoreRevsFile=', 'blame', ...options),
    git.run('rev-parse', '--is-shallow-repository'),
  ])
  return result.code === 0 ? readPorcelain(result.stdout.toString(), outputOf(shallow) === 'true') : NONE
}

const HEADER = /^([0-9a-f]{40,64}) \d+ (\d+)(?: \d+)?$/

/** Each line has a header; what is known of a commit follows its first one. The text of a line begins with a tab. */
function readPorcelain(text: string, isShallow: boolean): ReadonlyMap<number, string> {
  const commits = new Map<string, string>()
  const lines: (readonly [line: number, commit: string])[] = []
  const ends = new Set<string>()
  let commit = ''
  for (const row of text.split('\n')) {
    const [, id, line] = HEADER.exec(row) ?? []
    const [, time] = /^committer-time (\d+)$/.exec(row) ?? []
    if (id !== undefined && line !== undefined) {
      commit = id
      lines.push([Number(line), id])
    } else if (time !== undefined) commits.set(commit, dateOf(Number(time) * 1000) ?? '')
    else if (row === 'boundary' && isShallow) ends.add(commit)
  }
  return new Map(
    lines.flatMap(([line, id]) => {
      const date = ends.has(id) ? undefined : commits.get(id)
      return date ? [[line, date] as const] : []
    }),
  )
}
