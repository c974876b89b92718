/** `sluice lint --watch`: judges again whenever a file changes, until the process gets a signal to end. */
import { type FSWatcher, statSync, watch } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { shownPath } from '../../files/paths.ts'
import { REGISTRY } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { plural } from '../../text/plural.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { findSettings } from '../core/project.ts'
import type { LintFlags } from './args.ts'
import { runLint } from './run.ts'

/** Flags whose runs do something else than reporting on files. */
const ALONE = ['cluster', 'fix', 'write-baseline', 'list-files', 'print-config'] as const

/** Judges until SIGINT or SIGTERM. Throws {@link InputError} where the first run does, or a folder cannot be watched. */
export async function watchLint(io: Io, flags: LintFlags): Promise<number> {
  const other = ALONE.find((flag) => flags.has(flag))
  if (other) throw new InputError(`--watch reports on files as they change: use it without --${other}`)
  if (flags.positionals.includes('-'))
    throw new InputError('--watch is for files: use it without the standard input (-)')
  const outputs = new Set(flags.values('output').map((written) => resolve(io.cwd, written.replace(/^[^=]*=/, ''))))
  const read = new Set<string>()
  const folders = watchFolders((path) => !outputs.has(path) && (read.has(path) || isRelevant(path)))
  const stop = nextSignal()
  try {
    await judge(io, flags, folders, read)
    io.stderr.write(`watching ${plural(folders.count(), 'folder')}; Ctrl-C ends\n`)
    for (;;) {
      const changed = await Promise.race([folders.changes(), stop])
      if (!changed) return EXIT.clean
      io.stderr.write(`\nchanged: ${escapeUnsafe(namesOf(changed, io.cwd))}\n`)
      await judge(io, flags, folders, read).catch((error) => printInputError(error, io))
    }
  } finally {
    folders.close()
  }
}

/** One run, which watches the folders that it reads before it reads them, and adds to `files` the paths of the sources. */
async function judge(io: Io, flags: LintFlags, folders: Folders, files: Set<string>): Promise<void> {
  const start = io.now()
  const settings = flags.value('config') ?? findSettings(io.cwd)
  const named = [settings, flags.value('baseline'), ...flags.values('old')].filter((path) => path !== undefined)
  const read = new Set(named.map((path) => dirname(resolve(io.cwd, path))))
  for (const folder of [...read, io.cwd]) folders.watch(folder)
  const onFolder = (path: string) => {
    read.add(path)
    folders.watch(path)
  }
  await runLint({ ...io, now: () => io.now() - start }, flags, REGISTRY, {
    onFolder,
    onSource: (path) => void files.add(path),
  })
  folders.keep((path) => read.has(path) || path === io.cwd)
}

/** What a user caused, such as settings that are half written, is printed: the next change may fix it. */
function printInputError(error: unknown, { stderr }: Io): void {
  if (!(error instanceof InputError)) throw error
  stderr.write(`sluice: ${error.message}\n`)
}

const MOST_NAMES = 3

function namesOf(paths: ReadonlySet<string>, cwd: string): string {
  const names = [...paths].map((path) => shownPath(path, cwd))
  const more = names.length - MOST_NAMES
  return names.slice(0, MOST_NAMES).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Files that decide what is found; a folder may be new, or gone. */
const isRelevant = (path: string): boolean =>
  /(?:\.(?:ya?ml|json)|[/\\](?:Kustomization|\.gitignore))$/i.test(path) || isFolder(path)

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return !/\.[^/\\]*$/.test(path)
  }
}

/** Resolves when the process is to end. */
const nextSignal = (): Promise<undefined> =>
  new Promise((done) => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => done(undefined))
  })

/** Milliseconds without a change until changes are reported: editors and Git write files one after the other. */
const QUIET = 100

type Folders = ReturnType<typeof watchFolders>

/** Watches folders, each alone: those below are watched by themselves, and Git's and npm's are not. */
function watchFolders(isWanted: (path: string) => boolean) {
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
