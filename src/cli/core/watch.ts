/** Watches the files of a command that goes on until it gets a signal. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, join } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { shownPath } from '../../files/paths.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { InputError } from './io.ts'

const MOST_NAMES = 3

/** Some changed paths, for a line of text. */
export function namesOf(paths: ReadonlySet<string>, cwd: string): string {
  const names = [...paths].map((path) => shownPath(path, cwd))
  const more = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Files that decide what is found; a folder may be new, or gone. */
export const isRelevant = (path: string): boolean =>
  /(?:\.(?:ya?ml|json)|[/\\](?:Kustomization|\.gitignore))$/i.test(path) || isFolder(path)

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return !basename(path).includes('.')
  }
}

/** Resolves when the process is to end. */
export const nextSignal = (names: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']): Promise<undefined> =>
  new Promise((done) => {
    for (const name of names) process.once(name, () => done(undefined))
  })

/** Milliseconds without a change until changes are reported: editors and Git write files one after the other. */
const QUIET = 100

/** Watched folders. */
export type Folders = ReturnType<typeof watchFolders>

/** Watches folders, each alone: those below are watched by themselves, and Git's and npm's are not. */
export function watchFolders(isWanted: (path: string) => boolean) {
  const watchers = new Map<string, FSWatcher>()
  const changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let report: ((paths: ReadonlySet<string>) => void) | undefined
  const flush = (): void => {
    if (!report || changed.size === 0) return
    report(new Set(changed))
    changed.clear()
    report = undefined
  }
  const add = (path: string): void => {
    if (!isWanted(path)) return
    changed.add(path)
    clearTimeout(timer)
    timer = setTimeout(flush, QUIET)
  }
  const forget = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  return {
    /** Throws {@link InputError}. */
    watch(folder: string): void {
      if (watchers.has(folder)) return
      try {
        const watcher = watch(folder, (_, name) => add(name === null ? folder : join(folder, name)))
        watcher.on('error', () => {
          forget(folder)
          add(folder)
        })
        watchers.set(folder, watcher)
      } catch (error) {
        throw new InputError(escapeUnsafe(`${folder} cannot be watched: ${describeSystemError(error)}`))
      }
    },
    /** Ends the watches of all other folders. */
    keep(isKept: (folder: string) => boolean): void {
      for (const folder of [...watchers.keys()]) if (!isKept(folder)) forget(folder)
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
