/** `--state` of the mesh: its configuration in a file, which belongs to one process at a time. */
import { realpathSync, rmSync, type Stats, statSync } from 'node:fs'
import { readSmallFile, readSmallText } from '../../disk/read-regular-file.ts'
import { commitDraft, discardDraft, syncDraft, writeDraft } from '../../files/write/replace-file.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import { JsonError, readStrictJson } from '../../http/strict-json.ts'
import { createQueue } from '../../http/turn.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../mesh/config.ts'
import { type Cleared, type ConfigStore, type KeptConfig, readCleared } from '../../servers/mesh/state.ts'
import { lockStateFile, StateFileError } from '../../store/sqlite/open.ts'
import { describeSystemError, systemErrorCode } from '../../text/system-error.ts'
import { InputError } from '../core/io.ts'

/** The store, while the file is locked. */
type MeshStateFile = { readonly config: ConfigStore; close(): void }

/** Opens a file, which the first change creates. Throws {@link InputError}. */
export function openMeshState(file: string, { names, log }: { names: ApiNames; log: Log }): MeshStateFile {
  const lock = locked(file)
  try {
    let current = readConfig(file, names) ?? initialConfig(names)
    const kept = (): KeptConfig => ({ config: current, cleared: readClearedFile(clearedFile(file)) })
    const inQueue = createQueue()
    return {
      config: {
        read: async () => current,
        readKept: async () => kept(),
        change: (change) =>
          inQueue(async () => {
            const before = kept()
            const after = change(before)
            if (isSameValue(before.config, after.config)) return { before: current, after: current }
            // What was before is there at the latest with the change that it belongs to, and at least as long.
            if (after.cleared && after.cleared !== before.cleared) await write(clearedFile(file), after.cleared, log)
            await write(file, after.config, log)
            current = after.config
            if (!after.cleared) rmSync(clearedFile(file), { force: true })
            return { before: before.config, after: after.config }
          }),
      },
      close: () => lock.close(),
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

function locked(file: string): { close(): void } {
  try {
    return lockStateFile(file)
  } catch (error) {
    if (error instanceof StateFileError) throw new InputError(error.message)
    throw error
  }
}

/** Where the configuration from before a `clear` is, while it can be taken back. */
const clearedFile = (file: string): string => `${file}.cleared`

function readClearedFile(file: string): Cleared | undefined {
  try {
    return readCleared(readSmallText(file))
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

/** The configuration in a file; undefined where there is none. */
function readConfig(file: string, names: ApiNames): JsonObject | undefined {
  const config = parsed(file)
  if (config === undefined) return undefined
  const [fault] = configFaults(config, names)
  if (isObject(config) && !fault) return config
  throw new InputError(`--state ${file}: ${fault?.field ? `${fault.field}: ` : ''}${fault?.reason}`)
}

function parsed(file: string): unknown {
  try {
    return readStrictJson(readSmallFile(file), 'it')
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw new InputError(`--state ${file}: ${reasonOf(error)}`)
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof JsonError) return error.pointer === '' ? error.message : `${error.pointer}: ${error.message}`
  return describeSystemError(error)
}

/** Rejects with `HttpError` 500; the file is then as it was. */
async function write(file: string, config: object, log: Log): Promise<void> {
  try {
    const old = statsOf(file)
    const draft = writeDraft(old ? realpathSync(file) : file, `${JSON.stringify(config, null, 2)}\n`, old)
    try {
      await syncDraft(draft)
    } catch (error) {
      discardDraft(draft)
      throw error
    }
    commitDraft(draft)
  } catch (error) {
    log.error({ error, file }, 'the configuration cannot be stored')
    throw new HttpError(500, 'the configuration cannot be stored, and stays as it was; the log of the server says why')
  }
}

function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file)
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}
