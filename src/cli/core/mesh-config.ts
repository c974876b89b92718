/** Reads the configuration of the mesh from a file: the document itself, a part of it, or the ConfigMap that stores it. */
import { resolve } from 'node:path'
import { readRegularFile } from '../../disk/read-regular-file.ts'
import { MAX_FILE_BYTES } from '../../files/discover/file-tree.ts'
import { readBytes, STDIN } from '../../files/discover/stdin.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { configFaults } from '../../mesh/config.ts'
import { STORED_CONFIG, storedConfigText } from '../../mesh/stored-config.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { decodeText } from '../../yaml/decode.ts'
import { readDocuments } from '../../yaml/documents.ts'
import { describeFirstProblem } from '../../yaml/first-problem.ts'
import { InputError, type Io } from './io.ts'

/** Reads a configuration; `flag` names it in errors. Throws {@link InputError} with everything that is wrong with it. */
export function readMeshConfig(flag: string, file: string, { names, io }: { names: ApiNames; io: Io }): JsonObject {
  const shown = `${flag} ${escapeUnsafe(file)}`
  const read = readValue(readText(file, io), shown)
  const config = isConfigMap(read) ? readStored(read, shown) : read
  const faults = configFaults(config, names, { isPart: true }).map(({ field, reason }) => `${field}: ${reason}`)
  if (isObject(config) && faults.length === 0) return config
  throw new InputError(faults.map((fault) => `${shown}: ${escapeUnsafe(fault)}`).join('\nsluice: '))
}

const isConfigMap = (value: unknown): value is JsonObject => isObject(value) && value.kind === 'ConfigMap'

function readStored(configMap: JsonObject, shown: string): unknown {
  const text = storedConfigText(configMap)
  if (text === undefined) throw new InputError(`${shown}: the ConfigMap has no readable key ${STORED_CONFIG.key}`)
  return readValue(text, `${shown}: ${STORED_CONFIG.key}`)
}

function readValue(text: string, shown: string): unknown {
  const problem = describeFirstProblem(text)
  if (problem !== undefined) throw new InputError(`${shown}: ${problem}`)
  return readDocuments(text, { mentions: /(?:)/ })[0]?.value
}

/** Reads a text of a file, or of the standard input for `-`. Throws {@link InputError}. */
export function readText(file: string, { cwd, stdin }: Io): string {
  const bytes = file === '-' ? readBytes(stdin) : readFile(resolve(cwd, file))
  const shown = escapeUnsafe(file === '-' ? STDIN : file)
  if ('reason' in bytes) throw new InputError(`${shown}: ${bytes.reason}`)
  const { text, problem } = decodeText(bytes)
  if (problem) throw new InputError(`${shown}: ${problem.reason}`)
  return text
}

function readFile(path: string): Buffer | { readonly reason: string } {
  try {
    return readRegularFile(path, MAX_FILE_BYTES)
  } catch (error) {
    return { reason: describeSystemError(error) }
  }
}
