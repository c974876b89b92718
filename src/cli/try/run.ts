/** One run of `sluice try`: from the first version of the manifests to the signal that ends it. */
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeSystemError } from '../../files/input-problem.ts'
import { SOCKET_FOLDER } from '../../queries/render-values.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { namesOf, nextSignal, watchFolders } from '../core/watch.ts'
import { startEcho } from './echo.ts'
import { readOptions, type TryArgs } from './flags.ts'
import { runLoad } from './load.ts'
import { createReader, type Reader } from './manifests.ts'
import { createPorts } from './ports.ts'
import { createScreen, type Screen } from './screen.ts'
import { type Session, startSession } from './session.ts'

/** Runs until SIGINT, SIGTERM or SIGHUP, or until the load is over. Throws {@link InputError}. */
export async function runTry(io: Io, args: TryArgs): Promise<number> {
  const options = readOptions(args)
  const screen = createScreen(io, args, options)
  const stop = nextSignal(['SIGINT', 'SIGTERM', 'SIGHUP'])
  const folder = makeFolder()
  const folders = watchFolders({ cwd: io.cwd, isOwn: (path) => path.startsWith(folder) })
  const upstream = options.upstream === undefined ? await startEcho() : { address: options.upstream, close: () => {} }
  const ports = createPorts(options.port)
  const session = startSession({ ...options, ...screen, folder, ports, upstream: upstream.address })
  const ending = new AbortController()
  try {
    const reader = createReader(withoutRepeats(io), args, folders)
    const first = await Promise.race([reader.read().then((version) => session.apply(version)), stop])
    if (!first) return EXIT.clean
    screen.invite(first)
    io.onWork?.()
    const changes = follow({ io, reader, session, folders, screen, stop })
    const load = options.load && runLoad(options.load, first, { screen, signal: ending.signal })
    await Promise.race([changes, ...(load ? [load] : [])])
    return EXIT.clean
  } finally {
    ending.abort()
    folders.close()
    await session.stop()
    upstream.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Following = {
  readonly io: Io
  readonly reader: Reader
  readonly session: Session
  readonly folders: ReturnType<typeof watchFolders>
  readonly screen: Screen
  readonly stop: Promise<undefined>
}

/** Applies each version of the manifests, until the signal. What a user caused is said: the next change may mend it. */
async function follow({ io, reader, session, folders, screen, stop }: Following): Promise<void> {
  for (;;) {
    const changed = await Promise.race([folders.changes(), stop])
    if (!changed) return
    screen.note(`changed: ${namesOf(changed, io.cwd)}`)
    const applied = reader.read().then((version) => session.apply(version))
    const done = applied.then(
      () => true,
      (error: unknown) => {
        if (!(error instanceof InputError)) throw error
        screen.fail(error.message)
        return true
      },
    )
    if (!(await Promise.race([done, stop]))) {
      await done
      return
    }
  }
}

/** The same note is printed once, although the files are read again and again. */
function withoutRepeats(io: Io): Io {
  const written = new Set<string>()
  return {
    ...io,
    stderr: {
      ...io.stderr,
      write(text, syntax) {
        if (written.has(text)) return
        written.add(text)
        io.stderr.write(text, syntax)
      },
    },
  }
}

/** A folder that workers of nginx can enter, which run as another user where we are root. */
function makeFolder(): string {
  try {
    const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-try-'))
    chmodSync(folder, 0o755)
    if (SOCKET_FOLDER.test(folder)) return folder
    rmSync(folder, { recursive: true, force: true })
    throw new InputError(`nginx cannot use the folder "${escapeUnsafe(folder)}"; set TMPDIR to one with a plain name`)
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError(`no temporary folder can be made: ${describeSystemError(error)}`)
  }
}
