/** `sluice lint --watch`: judges again whenever a file changes, until the process gets a signal to end. */
import { resolve } from 'node:path'
import { REGISTRY } from '../../registry.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { plural } from '../../text/plural.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { findSettings } from '../core/project.ts'
import { type Folders, namesOf, nextEnd, watchFolders } from '../core/watch.ts'
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
  const folders = watchFolders({ cwd: io.cwd, isOwn: (path) => outputs.has(path) })
  const stop = nextEnd(io)
  try {
    await judge(io, flags, folders)
    io.stderr.write(`watching ${plural(folders.count(), 'folder')}; Ctrl-C ends\n`)
    for (;;) {
      const changed = await Promise.race([folders.changes(), stop])
      if (!changed) return EXIT.clean
      io.stderr.write(`\nchanged: ${escapeUnsafe(namesOf(changed, io.cwd))}\n`)
      await judge(io, flags, folders).catch((error) => printInputError(error, io))
    }
  } finally {
    folders.close()
  }
}

/** One run, which watches the folders that it reads before it reads them. */
async function judge(io: Io, flags: LintFlags, folders: Folders): Promise<void> {
  const start = io.now()
  const settings = flags.value('config') ?? findSettings(io.cwd)
  const named = [settings, flags.value('baseline'), ...flags.values('old')].filter((path) => path !== undefined)
  folders.begin()
  for (const path of named) folders.watchFile(resolve(io.cwd, path))
  await runLint({ ...io, now: () => io.now() - start }, flags, REGISTRY, {
    onFolder: (path) => folders.watchFolder(path),
    onSource: (path) => folders.watchFile(path),
  })
  folders.end()
}

/** What a user caused, such as settings that are half written, is printed: the next change may fix it. */
function printInputError(error: unknown, { stderr }: Io): void {
  if (!(error instanceof InputError)) throw error
  stderr.write(`sluice: ${error.message}\n`)
}
