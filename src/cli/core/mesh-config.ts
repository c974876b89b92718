/** Reads the configuration of the mesh from a file: the document itself, a part of it, or the ConfigMap that stores it. */
import { resolve } from 'node:path'
import { readRegularFile } from '../../disk/read-regular-file.ts'
import { MAX_FILE_BYTES } from '../../files/discover/file-tree.ts'
import { readBytes, STDIN } from '../../files/discover/stdin.ts'
import { describeSystemError } from '../../files/input-problem.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { valueAt } from '../../json/pointer.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { configFaults } from '../../mesh/config.ts'
import { STORED_CONFIG, storedConfigText } from '../../mesh/stored-config.ts'
import { escapeUnsafe } from '../../reports/characters.ts'
import { decodeText } from '../../yaml/decode.ts'
import { readDocuments, type TextDocument } from '../../yaml/documents.ts'
import { describeFirstProblem } from '../../yaml/first-problem.ts'
import { createLineIndex, createLocator } from '../../yaml/locate.ts'
import { InputError, type Io } from './io.ts'

/** A configuration with the places of its fields. */
export type PlacedConfig = {
  readonly config: JsonObject
  /** `mesh.yaml:3:9` for a JSON Pointer of the configuration; of its text in a ConfigMap. */
  placeOf(pointer: string): string
}

/** Reads a configuration; `flag` names it in errors. Throws {@link InputError} with everything that is wrong with it. */
export function readMeshConfig(flag: string, file: string, { names, io }: { names: ApiNames; io: Io }): PlacedConfig {
  const shown = `${flag} ${escapeUnsafe(file)}`
  const text = readText(file, io)
  const document = readDocument(text, shown)
  const isStored = isObject(document?.value) && document.value.kind === 'ConfigMap'
  const config = isStored ? readStored(document.value, shown) : document?.value
  const faults = configFaults(config, names, { isPart: true }).map(({ field, reason }) => `${field}: ${reason}`)
  if (!isObject(config) || faults.length > 0)
    throw new InputError(faults.map((fault) => `${shown}: ${escapeUnsafe(fault)}`).join('\nsluice: '))
  return {
    config,
    placeOf(pointer) {
      const members = ['data', 'binaryData'].map((name) => `/${name}/${STORED_CONFIG.key}`)
      const at = isStored ? members.find((one) => valueAt(document.value, one) !== undefined) : pointer
      const { start } = document ? createLocator(text, document)(at ?? '') : { start: 0 }
      const { line, column } = createLineIndex(text)(start)
      return `${escapeUnsafe(file === '-' ? STDIN : file)}:${line}:${column}`
    },
  }
}

function readStored(configMap: JsonObject, shown: string): unknown {
  const text = storedConfigText(configMap)
  if (text === undefined) throw new InputError(`${shown}: the ConfigMap has no readable key ${STORED_CONFIG.key}`)
  return readDocument(text, `${shown}: ${STORED_CONFIG.key}`)?.value
}

function readDocument(text: string, shown: string): TextDocument | undefined {
  const problem = describeFirstProblem(text)
  if (problem !== undefined) throw new InputError(`${shown}: ${problem}`)
  return readDocuments(text, { mentions: /(?:)/ })[0]
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
