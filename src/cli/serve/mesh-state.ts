/** `--state` of the mesh: its configuration in a file, which belongs to one process at a time. */
import { realpathSync, type Stats, statSync } from 'node:fs'
import { readSmallFile } from '../../disk/read-regular-file.ts'
import { commitDraft, discardDraft, syncDraft, writeDraft } from '../../files/write/replace-file.ts'
import { HttpError } from '../../http/http-error.ts'
import type { Log } from '../../http/log.ts'
import { JsonError, readStrictJson } from '../../http/strict-json.ts'
import { createQueue } from '../../http/turn.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { configFaults, initialConfig } from '../../mesh/config.ts'
import type { ConfigStore } from '../../servers/mesh/state.ts'
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
    const inQueue = createQueue()
    return {
      config: {
        read: async () => current,
        change: (change) =>
          inQueue(async () => {
            const before = current
            const after = change(before)
            if (isSameValue(before, after)) return { before, after: before }
            await write(file, after, log)
            current = after
            return { before, after }
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
async function write(file: string, config: JsonObject, log: Log): Promise<void> {
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
