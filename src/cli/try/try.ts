/** `sluice try`. */

import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describeSystemError } from '../../files/input-problem.ts'
import { SOCKET_FOLDER } from '../../queries/render-values.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { type Command, command } from '../core/command.ts'
import { EXIT, InputError, type Io } from '../core/io.ts'
import { namesOf, nextEnd, watchFolders } from '../core/watch.ts'
import { startEcho } from './echo.ts'
import { FLAGS, readOptions, type TryArgs } from './flags.ts'
import { runLoad } from './load.ts'
import { createReader, type Reader, type Version } from './manifests.ts'
import { createPorts } from './ports.ts'
import { createScreen, type Screen } from './screen.ts'
import { type Session, startSession } from './session.ts'

/** `sluice try`. */
export const tryCommand: Command = command({
  name: 'try',
  summary: 'enforce the policies with a real nginx on this machine',
  usage: '[paths…] [flags]',
  details: `Starts an nginx for each Gateway in these files, on ports of this machine above
1023, in front of an upstream that answers every HTTP and gRPC request. Paths
are the same as for lint, and nothing exists besides them. It prints where the
listeners answer, and then what happens: findings, conditions of policies and
targets, what the API server or nginx refuses, and each delayed or rejected
request.

The files are watched. A policy that nginx refuses keeps what was accepted of it
last, and everything else comes into force; with --whole the whole new version
is refused, as the specification has it. What the API server would reject is not
applied.

With --load it sends requests, shows their outcome beside what simulate says of
the same traffic, and ends. Ctrl-C ends it: no process and no file is left.`,
  flags: FLAGS,
  examples: [
    { line: 'sluice try examples/shop', does: 'the shop on this machine' },
    { line: 'sluice try k8s --upstream http://127.0.0.1:3000', does: 'in front of your own service' },
    { line: 'sluice try k8s --gateway shop/storefront --port 8080', does: 'one Gateway on a port of your choice' },
    { line: 'sluice try k8s --load 20r/s --clients 5 --for 30s', does: 'traffic, and what simulate says of it' },
    { line: 'sluice try k8s --format json | jq .', does: 'an event on each line' },
    { line: 'sluice try k8s --nginx-bin /opt/nginx/sbin/nginx --whole', does: 'as the specification has it' },
  ],
  run: runTry,
})

/** Runs until SIGINT, SIGTERM or SIGHUP, or until the load is over. Throws {@link InputError}. */
async function runTry(io: Io, args: TryArgs): Promise<number> {
  const options = readOptions(args)
  const screen = createScreen(io, args, options)
  const stop = nextEnd(io, ['SIGINT', 'SIGTERM', 'SIGHUP'])
  const folder = makeFolder()
  const folders = watchFolders({ cwd: io.cwd, isOwn: (path) => path.startsWith(folder) })
  const upstream = options.upstream === undefined ? await startEcho() : { address: options.upstream, close: () => {} }
  const ports = createPorts(options.port)
  const session = startSession({ ...options, ...screen, folder, ports, upstream: upstream.address })
  const ending = new AbortController()
  try {
    const reader = createReader(withoutRepeats(io), args, folders)
    const version = reader.read()
    const trying = await Promise.race([version.then((one) => session.apply(one)), stop])
    if (!trying) return EXIT.clean
    screen.invite(trying)
    io.onWork?.()
    const changes = follow({ io, first: await version, reader, session, folders, screen, stop })
    const load =
      options.load &&
      runLoad(options.load, trying, { screen, signal: ending.signal, isOwnUpstream: options.upstream !== undefined })
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
  /** The version that is in force. */
  readonly first: Version
  readonly reader: Reader
  readonly session: Session
  readonly folders: ReturnType<typeof watchFolders>
  readonly screen: Screen
  readonly stop: Promise<undefined>
}

/** Applies each version of the manifests, until the signal. What a user caused is said: the next change may correct it. */
async function follow({ io, first, reader, session, folders, screen, stop }: Following): Promise<void> {
  let last = first
  for (;;) {
    const changed = await Promise.race([folders.changes(), stop])
    if (!changed) return
    const applied = reader.read().then(async (version) => {
      if (isSameVersion(version, last)) return
      screen.note(`changed: ${namesOf(changed, io.cwd)}`)
      for (const file of version.kept)
        if (!last.kept.includes(file)) screen.note(`${file} is empty or half written: what was in it before counts`)
      last = version
      await session.apply(version)
    })
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

/** True where nothing has changed that is looked at: another program may write into the folders, also what it gets from here. */
const isSameVersion = (one: Version, other: Version): boolean => isDeepStrictEqual(contentOf(one), contentOf(other))

const contentOf = ({ settings, gateways, kept, reading: { sources }, files }: Version): unknown => [
  settings,
  gateways,
  kept,
  sources.flatMap(({ file, text }) => (files.has(file) ? [[file, text]] : [])),
]

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
