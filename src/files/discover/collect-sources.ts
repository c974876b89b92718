/** Paths in, sources out: the room's one entrance. */

import type { Source } from '../../project/source.ts'
import type { ProjectSettings, Severities } from '../../settings/project.ts'
import { chartsOfInterest } from '../helm/charts.ts'
import { shownPath } from '../paths.ts'
import type { InputProblem } from '../problem.ts'
import { collectFiles } from './collect.ts'
import { loadGlobs } from './load-globs.ts'
import { createSurroundings } from './path-settings.ts'
import { readSources, type Watch } from './sources.ts'
import { type InputOptions, NO_INPUT, readStdin } from './stdin.ts'
import { DISK } from './tree.ts'
import { onlyNamed, readNames } from './within.ts'

export type CollectSourcesOptions = InputOptions &
  Pick<ProjectSettings, 'worlds' | 'overrides' | 'ignores'> & {
    readonly cwd: string
    /** The folder that globs of the settings are relative to. */
    readonly folder: string
    /** Severities of the command line. */
    readonly rules: Severities
    /** Folders whose files are all looked up in; the paths then say which of them are judged. */
    readonly within?: readonly string[] | undefined
    /** Hears of every file before it is read. */
    readonly onFile?: () => void
    /** Hears of every file when it has been read. */
    readonly watch?: Watch
  }

/** What the paths of a command line mean. */
export type Collected = {
  readonly sources: readonly Source[]
  /** Files that were looked into, to judge them. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** Helm charts whose templates name judged kinds and were passed over, as shown. */
  readonly charts: readonly string[]
  /** Kustomizations that cannot be read, so that their patches are judged like whole manifests, as shown. */
  readonly brokenKustomizations: readonly string[]
  /** Names of templates whose text, as Helm has rendered it, came by the standard input. */
  readonly rendered?: readonly string[]
  /** Something could not be looked into, of which nothing is told as it concerns no file that is judged. */
  readonly isPartial?: boolean
  /** Named paths that lie outside of the folders within which files are judged, as they were written. */
  readonly outside?: readonly string[]
}

/** Reads what paths, globs and `-` mean; no path means the current folder. Never throws for what it finds there. */
export async function collectSources(paths: readonly string[], options: CollectSourcesOptions): Promise<Collected> {
  const { cwd, folder, ignores, within } = options
  const globs = await loadGlobs(paths, options)
  const surroundings = createSurroundings(options, globs)
  const meant = paths.length === 0 ? ['.'] : paths.filter((path) => path !== '-')
  const named = within && readNames(meant, { cwd, tree: DISK, globs, folders: within })
  const isLeftOut = globs.matchPaths(ignores, folder)
  const found = collectFiles(within ?? meant, { cwd, tree: DISK, isLeftOut, globs })
  const read = readSources(found, { ...options, surroundings, ...(named ? { isJudged: named.has } : {}) })
  const stdin = paths.includes('-') ? readStdin(options, read.sources) : NO_INPUT
  const unread = {
    problems: [...found.problems, ...read.problems, ...stdin.problems],
    charts: chartsOfInterest(found.charts),
    brokenKustomizations: read.brokenKustomizations.map((path) => shownPath(path, cwd)),
  }
  return {
    sources: [...read.sources, ...stdin.sources],
    files: read.files + stdin.files,
    rendered: stdin.rendered,
    ...(named ? { ...onlyNamed(unread, named, cwd), outside: named.outside } : unread),
  }
}
