/** Watches the files of a command that goes on until it gets a signal. */
import { type BigIntStats, existsSync, type FSWatcher, fstatSync, readdirSync, statSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { shownPath } from '../../files/paths.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { InputError, type Io } from './io.ts'
import { SETTINGS_FILE } from './project.ts'

const MOST_NAMES = 3

/** Some changed paths, for a line of text. */
export function namesOf(paths: ReadonlySet<string>, cwd: string): string {
  const names = [...paths].map((path) => shownPath(path, cwd))
  const more = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Files that decide what is found in the folder that they are in; a folder may be new, or gone. */
const isRelevant = (path: string): boolean =>
  /(?:\.(?:ya?ml|json)|[/\\](?:Kustomization|\.gitignore))$/i.test(path) || isFolder(path)

/** Files that decide which folders below are read, and how. */
const isRelevantBelow = (path: string): boolean =>
  basename(path) === SETTINGS_FILE || basename(path) === '.gitignore' || isFolder(path)

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return !basename(path).includes('.')
  }
}

/** The files that this process writes its output to: a change of those would make it write again, without an end. */
function findOwnOutputs(): readonly BigIntStats[] {
  return [1, 2].flatMap((descriptor) => {
    try {
      const stats = fstatSync(descriptor, { bigint: true })
      return stats.isFile() ? [stats] : []
    } catch {
      return []
    }
  })
}

function isOneOf(path: string, files: readonly BigIntStats[]): boolean {
  if (files.length === 0) return false
  const stats = statSync(path, { bigint: true, throwIfNoEntry: false })
  return files.some(({ dev, ino }) => dev === stats?.dev && ino === stats.ino)
}

/** Resolves when the process is to end. */
const nextSignal = (names: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']): Promise<undefined> =>
  new Promise((done) => {
    for (const name of names) process.once(name, () => done(undefined))
  })

/** Resolves when the process is to end, or nobody reads what it writes: `sluice try | head -1`. */
export const nextEnd = ({ stdout }: Pick<Io, 'stdout'>, names?: readonly NodeJS.Signals[]): Promise<undefined> =>
  Promise.race([nextSignal(names), ...(stdout.closed ? [stdout.closed] : [])])

/** A change of a folder itself, such as its removal, has its own name. */
function changedPath(folder: string, name: string | null): string {
  const path = join(folder, name ?? '')
  return name === basename(folder) && !existsSync(path) ? folder : path
}

/** Milliseconds without a change until changes are reported: editors and Git write files one after the other. */
const QUIET = 100

/** Watched folders. */
export type Folders = ReturnType<typeof watchFolders>

type WatchOptions = {
  /** Its settings decide what is read; its other files do not, unless it is read itself. */
  readonly cwd: string
  /** Files that the command writes. */
  readonly isOwn: (path: string) => boolean
}

/** What one run reads, and what the folders that it looks into have. */
const noPaths = () => ({
  folders: new Set<string>(),
  files: new Set<string>(),
  opened: new Map<string, ReadonlySet<string>>(),
})

/** Watches folders, each alone: those below are watched by themselves, and Git's and npm's are not. */
export function watchFolders({ cwd, isOwn }: WatchOptions) {
  const watchers = new Map<string, FSWatcher>()
  const outputs = findOwnOutputs()
  let before = noPaths()
  let now = noPaths()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let report: ((paths: ReadonlySet<string>) => void) | undefined
  /** False for a file that came and went, as editors write one to put it in the place of another. */
  const isKnown = (path: string): boolean =>
    before.files.has(path) || isRead(path) || before.opened.get(dirname(path))?.has(basename(path)) === true
  const flush = (): void => {
    if (!report) return
    const paths = new Set([...changed].filter((path) => isKnown(path) || existsSync(path)))
    changed.clear()
    if (paths.size === 0) return
    report(paths)
    report = undefined
  }
  const isRead = (path: string): boolean => before.folders.has(path) || now.folders.has(path)
  const isWanted = (path: string): boolean => {
    if (before.files.has(path) || now.files.has(path) || isRead(path)) return true
    return isRead(dirname(path)) ? isRelevant(path) : isRelevantBelow(path)
  }
  const add = (path: string): void => {
    if (isOwn(path) || !isWanted(path) || isOneOf(path, outputs)) return
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(flush, QUIET)
  }
  const forget = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const open = (folder: string): void => {
    if (now.opened.has(folder)) return
    try {
      now.opened.set(folder, new Set(readdirSync(folder)))
      if (watchers.has(folder)) return
      const watcher = watch(folder, (_, name) => add(changedPath(folder, name)))
      watcher.on('error', () => {
        forget(folder)
        add(folder)
      })
      watchers.set(folder, watcher)
    } catch (error) {
      throw new InputError(escapeUnsafe(`${folder} cannot be watched: ${describeSystemError(error)}`))
    }
  }
  return {
    /** Begins a run, which says what it reads before it reads it. Throws {@link InputError}. */
    begin(): void {
      now = noPaths()
      open(cwd)
    },
    /** Watches a folder whose files are read. Throws {@link InputError}. */
    watchFolder(folder: string): void {
      now.folders.add(folder)
      open(folder)
    },
    /** Watches a file, whatever its name. Throws {@link InputError}. */
    watchFile(path: string): void {
      now.files.add(path)
      open(dirname(path))
    },
    /** Ends a run, and the watches of folders in which it read nothing. */
    end(): void {
      before = now
      for (const folder of [...watchers.keys()]) if (!now.opened.has(folder)) forget(folder)
    },
    count: (): number => watchers.size,
    /** The paths that change next. */
    changes: (): Promise<ReadonlySet<string>> =>
      new Promise((resolveChanges) => {
        report = resolveChanges
        if (timer === undefined || changed.size > 0) timer = setTimeout(flush, QUIET)
      }),
    close(): void {
      clearTimeout(timer)
      for (const folder of [...watchers.keys()]) forget(folder)
    },
  }
}
