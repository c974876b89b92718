/** `sluice api-management`: backups of what the management API keeps. */
import { resolve } from 'node:path'
import { hideKeys } from '../../api-management/keys.ts'
import { type BackupHeader, readBackup, restoreBackup, writeBackup } from '../../store/sqlite/backup.ts'
import { StateFileError } from '../../store/sqlite/open.ts'
import { counted } from '../../text/plural.ts'
import { type Command, command, commandGroup } from '../core/command.ts'
import { EXIT, InputError, type Io, requireNode } from '../core/io.ts'
import { VERSION } from '../version/version.ts'

const STATE = { value: 'FILE', summary: 'where everything is stored; default: sluice.db' } as const
const VERBOSE = { summary: 'print the stack trace of a fault in sluice' } as const

const backup = command({
  name: 'api-management backup',
  summary: 'write a backup of the store, also while the server runs',
  usage: 'FILE [flags]',
  details: `Writes all that was acknowledged before into one file with a checksum, which only
its owner may read: it has the hashes of passwords. The file is whole or not
there, and never replaces another one without --force.`,
  flags: { state: STATE, force: { summary: 'replace FILE where it is there' }, verbose: VERBOSE },
  examples: [
    { line: 'sluice api-management backup proxies.backup', does: 'of sluice.db in this folder' },
    {
      line: 'sluice api-management backup proxies.backup --state proxies.db --force',
      does: 'of another store, in the place of the last backup',
    },
  ],
  run(io, { positionals, value, has }) {
    const [file, state] = filesOf(io, positionals, value('state'), 'backup')
    const options = { file, state, replaces: has('force'), sluice: VERSION, now: Date.now() }
    const header = inputErrors(() => writeBackup(options))
    io.stdout.write(`wrote ${file}\n${listing(header)}`)
    io.onWork?.()
    return EXIT.clean
  },
})

const restore = command({
  name: 'api-management restore',
  summary: 'put a backup in the place of the store',
  usage: 'FILE [flags]',
  details: `Checks the backup, migrates one of an older version, and puts it in the place of
the store, which stays beside it as FILE.replaced. Nothing changes where the
backup is damaged, of a newer version or of another program, or a server uses
the store. The next server publishes what was restored. Users, roles and
passwords are those of the backup, too.`,
  flags: {
    state: STATE,
    'dry-run': { summary: 'check the backup, print what it has, and change nothing' },
    verbose: VERBOSE,
  },
  examples: [
    { line: 'sluice api-management restore proxies.backup --dry-run', does: 'is it whole, and what is in it?' },
    { line: 'sluice api-management restore proxies.backup --state proxies.db', does: 'then start the server' },
  ],
  run(io, { positionals, value, has }) {
    const [file, state] = filesOf(io, positionals, value('state'), 'restore')
    if (has('dry-run')) {
      io.stdout.write(`${file} is whole\n${listing(inputErrors(() => readBackup(file)).header)}`)
      return EXIT.clean
    }
    const { header, replaced } = inputErrors(() => restoreBackup({ file, state, hideKeys }))
    io.stdout.write(`restored ${state}\n${listing(header)}`)
    if (replaced !== undefined) io.stdout.write(`the store from before is ${replaced}\n`)
    io.stdout.write('Start the server: it publishes what was restored.\n')
    io.onWork?.()
    return EXIT.clean
  },
})

const group = commandGroup({
  name: 'api-management',
  summary: 'back up and restore what the management API keeps',
  kind: 'action',
  question: 'what to do?',
  takesMore: true,
  parts: [backup, restore],
  examples: [
    { line: 'sluice api-management backup proxies.backup', does: 'also while the server runs' },
    { line: 'sluice api-management restore proxies.backup', does: 'once it is stopped' },
  ],
})

/** The command. It needs the Node of the server. */
export const apiManagementCommand: Command = {
  ...group,
  run(io: Io, argv) {
    requireNode('22.19', io)
    return group.run(io, argv)
  },
}

/** Absolute paths of the backup and of the store. Throws {@link InputError}. */
function filesOf(
  io: Io,
  [, file, ...others]: readonly string[],
  state = 'sluice.db',
  action: string,
): readonly [string, string] {
  if (file === undefined) throw new InputError(`which file? write "sluice api-management ${action} FILE"`)
  if (others.length > 0) throw new InputError(`one backup at a time; got "${[file, ...others].join(' ')}"`)
  return [resolve(io.cwd, file), resolve(io.cwd, state)]
}

function inputErrors<Value>(work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof StateFileError) throw new InputError(error.message)
    throw error
  }
}

/** How much is in a backup, and nothing of what is in it. */
function listing({ at, sluice, schema, counts }: BackupHeader): string {
  const { workspaces = 0, environments = 0, proxies = 0, users = 0, history = 0 } = counts
  const parts = [
    counted(workspaces, 'workspace'),
    counted(environments, 'environment'),
    counted(proxies, 'proxy', 'proxies'),
    counted(users, 'user'),
    counted(history, 'change'),
  ]
  return `  of ${new Date(at).toISOString()}, by sluice ${sluice}, schema ${schema}\n  ${parts.join(', ')}\n`
}
