/** Paths in, sources out: the room's one entrance. */
import type { ProjectSettings, Severities } from '../engine/project.ts'
import { MENTIONS } from '../lint/objects.ts'
import type { Source } from '../lint/source.ts'
import { chartsOfInterest } from './charts.ts'
import { collectFiles } from './collect.ts'
import { loadGlobs } from './load-globs.ts'
import { shownPath } from './paths.ts'
import type { InputProblem } from './problem.ts'
import { readSources, type Watch } from './sources.ts'
import { readStdin } from './stdin.ts'
import { createSurroundings } from './surroundings.ts'
import { DISK } from './tree.ts'

export type CollectSourcesOptions = Pick<ProjectSettings, 'worlds' | 'overrides' | 'ignores'> & {
  readonly cwd: string
  /** The folder that globs of the settings are relative to. */
  readonly folder: string
  /** Severities of the command line. */
  readonly rules: Severities
  /** The namespace of manifests that name none. */
  readonly namespace: string | undefined
  readonly stdin: Iterable<Uint8Array>
  /** Hears of every file before it is read. */
  readonly onFile?: () => void
  /** Hears of every file when it has been read. */
  readonly watch?: Watch
}

/** What the paths of a command line mean. */
export type Collected = {
  readonly sources: readonly Source[]
  /** Files that were looked into. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** Helm charts whose templates name judged kinds and were passed over, as shown. */
  readonly charts: readonly string[]
  /** Kustomizations that cannot be read, so that their patches are judged like whole manifests, as shown. */
  readonly brokenKustomizations: readonly string[]
}

/** Reads what paths, globs and `-` mean; no path means the current folder. Never throws for what it finds there. */
export async function collectSources(paths: readonly string[], options: CollectSourcesOptions): Promise<Collected> {
  const { cwd, folder, namespace, ignores } = options
  const globs = await loadGlobs(paths, options)
  const surroundings = createSurroundings(options, globs)
  const found = collectFiles(
    (paths.length === 0 ? ['.'] : paths).filter((path) => path !== '-'),
    { cwd, tree: DISK, isLeftOut: globs.matchPaths(ignores, folder), globs },
  )
  const read = readSources(found, { ...options, surroundings })
  const stdin = paths.includes('-') ? [readStdin(options.stdin, MENTIONS)] : []
  const hint = namespace === undefined ? {} : { namespace: { fallback: namespace } }
  return {
    sources: [...read.sources, ...stdin.flatMap((input) => (input && 'text' in input ? [{ ...input, ...hint }] : []))],
    files: read.files + stdin.length,
    problems: [
      ...found.problems,
      ...read.problems,
      ...stdin.flatMap((input) => (input && 'reason' in input ? [input] : [])),
    ],
    charts: chartsOfInterest(found.charts),
    brokenKustomizations: read.brokenKustomizations.map((path) => shownPath(path, cwd)),
  }
}
