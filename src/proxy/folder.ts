/**
 * The folder of a driver, which is nginx's prefix: two slots with a configuration each, the link `conf` to the one that
 * nginx reads, and what is known of the nginx that runs. Everything that another driver needs to go on is in it.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { systemErrorCode } from '../text/system-error.ts'
import { type ConfigurationFile, type Forms, MAIN_FILE } from './configuration.ts'
import { DriverFailure, withFiles } from './failure.ts'
import type { ProcessIdentity } from './processes.ts'

/** A place for a configuration. */
export type Slot = 'a' | 'b'

/** What is written down before and after each change, so that the next driver can go on from any point. */
type State = {
  /** The nginx that runs; undefined where none was started. */
  readonly master?: ProcessIdentity | undefined
  /** Holds the configuration that was accepted last. */
  readonly accepted?: Slot | undefined
  /** Holds the configuration that nginx was told to read, while it is not known what came of it. */
  readonly trying?: Slot | undefined
}

export type Folder = {
  readonly path: string
  readonly errorLog: string
  readonly pidFile: string
  readonly mainFile: (slot: Slot) => string
  state(): State
  saveState(state: State): void
  /** The forms of which the configuration of a slot was made; undefined where it is not complete. */
  forms(slot: Slot): Forms | undefined
  /** True where a slot holds exactly these files. */
  holds(slot: Slot, files: readonly ConfigurationFile[]): boolean
  /** Makes a slot hold these files: writes those that differ, removes the others. */
  stage(slot: Slot, files: readonly ConfigurationFile[]): void
  /** Writes down of which forms the files of a slot were made. */
  complete(slot: Slot, forms: Forms): void
  /** Makes nginx read a slot from now on. */
  point(slot: Slot): void
}

/** Configurations and forms may hold secrets, and only the master of nginx reads them. */
const OWN = { mode: 0o600 }

const FORMS = 'forms.json'
const STATE = 'state.json'

/** Makes a folder where it is missing. Throws the errors of `node:fs`. */
export function makeFolder(path: string): void {
  try {
    // With `recursive` a read-only file system would be reported as a missing folder.
    mkdirSync(path)
  } catch (error) {
    const code = systemErrorCode(error)
    if (code === 'ENOENT') mkdirSync(path, { recursive: true })
    else if (code !== 'EEXIST') throw error
  }
}

/** Opens a folder that exists. */
export function openFolder(path: string): Folder {
  const at = (...names: readonly string[]) => join(path, ...names)
  const held = new Map<Slot, Map<string, string>>()
  const filesOf = (slot: Slot) => {
    const known = held.get(slot) ?? readAll(at(slot))
    held.set(slot, known)
    return known
  }
  return {
    path,
    errorLog: at('error.log'),
    pidFile: at('nginx.pid'),
    mainFile: (slot) => at(slot, MAIN_FILE),
    state: () => stateIn(readJson(at(STATE))),
    saveState: (state) => replaceFile(at(STATE), JSON.stringify(state)),
    forms: (slot) => formsIn(readJson(at(`${slot}.${FORMS}`))),
    holds(slot, files) {
      const known = filesOf(slot)
      return known.size === files.length && files.every(({ name, text }) => known.get(name) === text)
    },
    stage: (slot, files) =>
      withFiles(() => {
        const known = filesOf(slot)
        // Where a file cannot be written, what the slot holds is read again.
        held.delete(slot)
        rmSync(at(`${slot}.${FORMS}`), { force: true })
        held.set(slot, update({ folder: at(slot), known, files }))
      }),
    complete: (slot, forms) => replaceFile(at(`${slot}.${FORMS}`), JSON.stringify([...forms])),
    point: (slot) =>
      withFiles(() => {
        rmSync(at('conf.new'), { force: true })
        symlinkSync(slot, at('conf.new'))
        renameSync(at('conf.new'), at('conf'))
      }),
  }
}

type Update = {
  readonly folder: string
  /** What the folder holds. */
  readonly known: ReadonlyMap<string, string>
  readonly files: readonly ConfigurationFile[]
}

/** Writes what differs, and removes what is not wanted. Returns what the folder holds then. */
function update({ folder, known, files }: Update): Map<string, string> {
  const wanted = new Map(files.map(({ name, text }) => [name, text]))
  for (const name of known.keys()) if (!wanted.has(name)) rmSync(join(folder, name), { force: true })
  for (const [name, text] of wanted) {
    if (known.get(name) === text) continue
    makeFolder(dirname(join(folder, name)))
    writeFileSync(join(folder, name), text, OWN)
  }
  return wanted
}

/** Writes beside and renames: a reader sees the old text or the new one. */
function replaceFile(path: string, text: string): void {
  withFiles(() => {
    try {
      writeFileSync(`${path}.new`, text, OWN)
      renameSync(`${path}.new`, path)
    } catch (error) {
      rmSync(`${path}.new`, { force: true })
      throw error
    }
  })
}

/** The files of a slot by their names, as another driver left them. */
function readAll(folder: string): Map<string, string> {
  return withFiles(() => {
    if (!existsSync(folder)) return new Map()
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const names = entries.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  })
}

/** A file of ours; undefined where it is missing or was not written to its end. */
function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error instanceof SyntaxError || !existsSync(path)) return undefined
    throw new DriverFailure('folder', `${path} cannot be read`)
  }
}

const slotIn = (value: unknown): Slot | undefined => (value === 'a' || value === 'b' ? value : undefined)

function stateIn(value: unknown): State {
  if (typeof value !== 'object' || value === null) return {}
  const master = 'master' in value ? identityIn(value.master) : undefined
  const accepted = 'accepted' in value ? slotIn(value.accepted) : undefined
  return { master, accepted, trying: 'trying' in value ? slotIn(value.trying) : undefined }
}

function identityIn(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value)) return undefined
  const { pid, started } = value
  return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined
}

function formsIn(value: unknown): Forms | undefined {
  return Array.isArray(value) && value.every(isForm) ? new Map(value) : undefined
}

const isForm = (entry: unknown): entry is readonly [name: string, form: string] =>
  Array.isArray(entry) && typeof entry[0] === 'string' && typeof entry[1] === 'string'
