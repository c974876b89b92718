/** Paths of a command line in, sources out: the entrance of this room. */
import { basename, dirname, join, resolve, sep } from 'node:path'
import type { UnreadableKustomization } from '../../project/kustomizations.ts'
import type { NotJudged, Reading } from '../../project/source.ts'
import type { ProjectSettings, Severities } from '../../settings/settings.ts'
import { createTexts, type Texts } from '../../yaml/documents.ts'
import { relevantCharts } from '../helm/charts.ts'
import type { InputProblem } from '../input-problem.ts'
import { type PathTest, shownPath } from '../paths.ts'
import { DISK, type FileTree } from './file-tree.ts'
import { type FoundFiles, findFiles } from './find-files.ts'
import { type Globs, loadGlobs } from './globs.ts'
import { createPathSettings } from './path-settings.ts'
import { type FileObserver, readSources } from './read-sources.ts'
import { NO_STDIN, readOverlay, readStdin, type StdinOptions } from './stdin.ts'

/** What beside the paths decides which files are read, and how. */
export type CollectSourcesOptions = StdinOptions &
  Pick<ProjectSettings, 'worlds' | 'overrides' | 'ignores'> & {
    readonly cwd: string
    /** The folder that globs of the settings are relative to. */
    readonly folder: string
    /** Severities of the command line. */
    readonly rules: Severities
    /** `--within`: folders of which all files are read; the paths then say which of the files are judged. */
    readonly within?: readonly string[] | undefined
    /** `--exclude`: globs, relative to the working directory, of files and folders that are left out even if named. */
    readonly exclude?: readonly string[] | undefined
    /** `--stdin-filename`: the file whose text the standard input is. */
    readonly stdinFile?: string | undefined
    /** Judges bases and components that are named as they are, also where kustomizations elsewhere build on them. */
    readonly isAlone?: boolean | undefined
    /** Is called before each file is read. */
    readonly onFile?: () => void
    /** Matches the texts that are read. Default: those that may hold an object of a system. */
    readonly mentions?: RegExp
    readonly observer?: FileObserver
    /** What was parsed of texts before. Default: nothing. */
    readonly texts?: Texts
  }

/** What the paths of a command line mean. */
export type Collected = Reading & {
  /** How many files were read to be judged. */
  readonly files: number
  readonly problems: readonly InputProblem[]
  /** What was found and is not judged, beside problems, charts and what is outside of `--within`. */
  readonly notJudged: readonly NotJudged[]
  /** Helm charts whose templates name judged kinds and were passed over, as shown. */
  readonly charts: readonly string[]
  /** Kustomizations that cannot be read, so that their patches are judged like whole manifests, as shown. */
  readonly brokenKustomizations: readonly UnreadableKustomization[]
  /** Names of the templates whose text, as Helm has rendered it, was read from the standard input. */
  readonly rendered?: readonly string[]
  /** Something could not be read that concerns no judged file, so it is not among the problems. */
  readonly isPartial?: boolean
  /** Paths outside of the folders of `--within`, as they were written. */
  readonly outside?: readonly string[]
}

/** Reads what paths, globs and `-` mean; no path means the current folder. Does not throw for what it finds there. */
export async function collectSources(paths: readonly string[], options: CollectSourcesOptions): Promise<Collected> {
  const { cwd, folder, ignores, exclude = [], within, stdinFile, observer, isAlone, texts = createTexts() } = options
  const globs = await loadGlobs(paths, options)
  const isExcludedByFlag = globs.matchPaths(exclude, cwd)
  const named = paths.length === 0 ? ['.'] : paths.flatMap((path) => (path === '-' ? (stdinFile ?? []) : path))
  const onDisk = named.filter((path) => {
    const isOut = isExcludedByFlag(resolve(cwd, path))
    if (isOut) observer?.onLeftOut?.(resolve(cwd, path), shownPath(resolve(cwd, path), cwd), 'excluded')
    return !isOut
  })
  const overlay = stdinFile === undefined ? undefined : readOverlay(stdinFile, options)
  const tree = overlay?.tree ?? DISK
  const judged = within && findJudgedPaths(onDisk, { cwd, tree, globs, folders: within })
  const isIgnored = globs.matchPaths(ignores, folder)
  const isExcluded = (path: string) => isExcludedByFlag(path) || isIgnored(path)
  const { onLeftOut, onFolder } = observer ?? {}
  const found = findFiles(within ?? onDisk, { cwd, tree, isExcluded, globs, isAlone, onLeftOut, onFolder })
  const pathSettings = createPathSettings(options, globs)
  const read = await readSources(found, {
    ...options,
    texts,
    pathSettings,
    overlay,
    isIgnored: isExcluded,
    ...(judged ? { isJudged: judged.has } : {}),
  })
  const stdin = paths.includes('-') && !overlay ? readStdin(options, read.sources) : NO_STDIN
  const unread = {
    problems: [...(overlay?.problems ?? []), ...found.problems, ...read.problems, ...stdin.problems],
    skipped: found.skipped,
    charts: relevantCharts(found.charts),
    brokenKustomizations: read.brokenKustomizations.map(({ file, reason }) => ({ file: shownPath(file, cwd), reason })),
  }
  return {
    sources: [...read.sources, ...stdin.sources],
    texts,
    files: read.files + stdin.files,
    rendered: stdin.rendered,
    ...(judged ? { ...onlyOfJudged(unread, judged, cwd), outside: judged.outside } : withSkipped(unread)),
    notJudged: [
      ...found.slowPatterns.map((one) => ({ ...one, code: 'pattern' as const })),
      ...found.skipped
        .filter(({ file }) => !judged || judged.has(resolve(cwd, file)))
        .map((one) => ({ ...one, code: 'unreadable' as const })),
      ...read.notJudged,
      ...stdin.notJudged,
    ],
  }
}

/** A link that leads nowhere may be a manifest elsewhere. */
const withSkipped = ({ skipped, ...unread }: Unread) => ({ ...unread, isPartial: skipped.length > 0 })

/** `--within`: which files of the folders are judged. All functions take absolute paths. */
type JudgedPaths = {
  /** True for a file that is named, or that a named folder or glob holds. */
  readonly has: PathTest
  /** True where a named file or folder is at a path or below it. */
  readonly isBelow: PathTest
  /** Named paths that are in none of the folders, as they were written. */
  readonly outside: readonly string[]
}

type WithinOptions = {
  readonly cwd: string
  readonly tree: FileTree
  readonly globs: Globs
  /** The folders of `--within`. */
  readonly folders: readonly string[]
}

/** Interprets the paths beside `--within`. Those that do not exist, such as deleted files, name nothing. */
function findJudgedPaths(paths: readonly string[], { cwd, tree, globs, folders }: WithinOptions): JudgedPaths {
  const files = new Set<string>()
  const tests: PathTest[] = []
  const outside: string[] = []
  const roots = folders.map((folder) => tree.real(resolve(cwd, folder)))
  for (const argument of paths) {
    const path = resolve(cwd, argument)
    if (!tree.exists(path)) {
      const glob = globs.readGlob(argument, cwd)
      if (glob) tests.push(glob.matches)
      continue
    }
    const real = tree.real(path)
    // A folder that contains one of the roots names it as well.
    if (!roots.some((root) => isWithin(real, root) || isWithin(root, real))) outside.push(argument)
    if (tree.stat(real).isDirectory()) tests.push((candidate) => isWithin(candidate, real))
    // A link and the file it leads to are one file, whichever of the two is found.
    files.add(real).add(join(tree.real(dirname(path)), basename(path)))
  }
  return {
    has: (path) => files.has(path) || tests.some((matches) => matches(path)),
    isBelow: (path) => [...files].some((file) => isWithin(file, path)),
    outside,
  }
}

const isWithin = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)

type Unread = Pick<Collected, 'problems' | 'charts' | 'brokenKustomizations'> & Pick<FoundFiles, 'skipped'>

/** Drops what concerns no judged file; `isPartial` where that drops something. */
function onlyOfJudged(
  unread: Unread,
  { has, isBelow }: JudgedPaths,
  cwd: string,
): Omit<Unread, 'skipped'> & { isPartial: boolean } {
  const concerns = (file: string) => has(resolve(cwd, file)) || isBelow(resolve(cwd, file))
  const problems = unread.problems.filter(({ file }) => concerns(file))
  const charts = unread.charts.filter(concerns)
  return {
    problems,
    charts,
    brokenKustomizations: unread.brokenKustomizations.filter(({ file }) => concerns(dirname(file))),
    isPartial:
      unread.skipped.length > 0 || problems.length + charts.length < unread.problems.length + unread.charts.length,
  }
}
