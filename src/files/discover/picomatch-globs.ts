/** Matches globs with picomatch, which is loaded only for globs. */

import { join, resolve } from 'node:path'
import picomatch from 'picomatch'
import { hasManyWildcards, LONGEST_GLOB } from '../../text/glob.ts'
import { compileLinear } from '../../text/linear.ts'
import { withoutEnd } from '../../text/trim.ts'
import { describeSystemError } from '../input-problem.ts'
import { type PathTest, shownPath, withSlashes } from '../paths.ts'
import { DISK, type FolderEntry } from './file-tree.ts'

/** A glob of the command line: the folder to walk, and which of the paths in it match. */
export type Glob = { readonly folder: string; readonly matches: PathTest }

/** A test for globs that are relative to a folder. A glob that matches a folder means everything in it. */
export function matchPaths(globs: readonly string[], folder: string): PathTest {
  if (globs.length === 0) return () => false
  const relative = globs.map((glob) => withoutEnd(withSlashes(glob).replace(/^\.\//, ''), '/'))
  if (relative.some((glob) => glob === '' || glob === '.')) return () => true
  const tests = relative.flatMap((glob) => [glob, `${glob}/**`]).map(testOf)
  return (path) => {
    const shown = shownPath(path, folder)
    return tests.some((test) => test(shown))
  }
}

const OPTIONS = { dot: true }

/** Characters of a path that any expression with few wildcards matches soon. */
const SHORT_PATH = 256

/**
 * A glob with many wildcards, and a long path, are matched in time that grows with the path: picomatch alone could take
 * years. A very long glob, for which picomatch throws, matches nothing.
 */
function testOf(glob: string): PathTest {
  if (glob.length > LONGEST_GLOB) return () => false
  const linear = linearTestOf(glob)
  if (hasManyWildcards(glob)) return linear() ?? picomatch(glob, OPTIONS)
  const test = picomatch(glob, OPTIONS)
  return (path) => (path.length > SHORT_PATH ? (linear() ?? test)(path) : test(path))
}

/** Compiles a glob when it is first asked for; undefined where RE2 cannot match it. */
function linearTestOf(glob: string): () => PathTest | undefined {
  let compiled: { readonly test: PathTest | undefined } | undefined
  return () => {
    compiled ??= { test: compiledLinear(glob) }
    return compiled.test
  }
}

function compiledLinear(glob: string): PathTest | undefined {
  const linear = compileLinear(withoutLookaheads(picomatch.makeRe(glob, OPTIONS).source))
  return linear && ((path) => linear.test(path) && (!LEADS_UP.test(path) || LEADS_UP.test(glob)))
}

/**
 * The expression of picomatch without those of its lookaheads that a path meets anyway: that names are not empty, and not
 * `.` or `..`. RE2 has no lookaheads, so that an expression with another one is not compiled.
 */
const withoutLookaheads = (source: string): string =>
  ALWAYS_MET.reduce((rest, part) => rest.replaceAll(part, ''), source)

const ALWAYS_MET = ['(?!(?:^|\\/)\\.{1,2}(?:\\/|$))', '(?!\\.{1,2}(?:\\/|$))', '(?=.)']
const LEADS_UP = /^\.\.(?:\/|$)/

/** True where a glob that is relative to a folder matches anything on the disk. */
export function matchesAnything(glob: string, folder: string): boolean {
  const { base, isGlob, negated } = picomatch.scan(withSlashes(glob))
  if (!isGlob || negated) return DISK.exists(resolve(folder, glob))
  const matches = matchPaths([glob], folder)
  return isAnyBelow(resolve(folder, base), matches)
}

function isAnyBelow(folder: string, matches: PathTest): boolean {
  const entries = listOf(folder)
  if (entries.some(({ name }) => matches(join(folder, name)))) return true
  return entries.some(
    (entry) =>
      entry.isDirectory() &&
      !entry.name.startsWith('.') &&
      entry.name !== 'node_modules' &&
      isAnyBelow(join(folder, entry.name), matches),
  )
}

function listOf(folder: string): readonly FolderEntry[] {
  try {
    return DISK.list(folder)
  } catch (error) {
    describeSystemError(error)
    return []
  }
}

/** Reads an argument that is not the path of a file as a glob; undefined where it is not a glob either. */
export function readGlob(argument: string, cwd: string): Glob | undefined {
  const { base, glob, isGlob, negated } = picomatch.scan(withSlashes(argument))
  if (!isGlob || negated) return undefined
  const folder = resolve(cwd, base)
  return { folder, matches: matchPaths([glob], folder) }
}
