/** The configuration of the mesh as a cluster stores it: JSON in a ConfigMap. */
import { isObject, type JsonObject } from '../json/member.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { configFaults } from './config.ts'
import { decoded } from './objects/stored.ts'

/** The name of the ConfigMap, and its key with the configuration. */
export const STORED_CONFIG = { name: 'mesh-config', key: 'mesh-config.json' } as const

/** The text of the configuration in a ConfigMap; undefined where it has none. */
export function storedConfigText({ data, binaryData }: JsonObject): string | undefined {
  const text = isObject(data) ? data[STORED_CONFIG.key] : undefined
  const encoded = isObject(binaryData) ? binaryData[STORED_CONFIG.key] : undefined
  if (typeof text === 'string') return text
  return typeof encoded === 'string' ? decoded(encoded) : undefined
}

/** A stored configuration, or why it cannot be used. */
export type ReadConfig = { readonly config: JsonObject } | { readonly reason: string }

/** Reads the configuration in a ConfigMap. With `isPart` it may lack fields, which then are as in a new mesh. Never throws. */
export function readStoredConfig(
  configMap: JsonObject,
  names: ApiNames,
  options: { readonly isPart?: boolean } = {},
): ReadConfig {
  const config = parsed(storedConfigText(configMap) ?? '')
  if (!isObject(config)) return { reason: `${STORED_CONFIG.key} has no JSON object` }
  const [fault] = configFaults(config, names, options)
  return fault ? { reason: `${fault.field} ${fault.reason}` } : { config }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The ConfigMap with another configuration, at the key where it was; `data` where there was none. */
export function withStoredConfig(configMap: JsonObject, config: JsonObject): JsonObject {
  const text = `${JSON.stringify(config, null, 2)}\n`
  const { data, binaryData } = configMap
  const isBinary =
    isObject(binaryData) && STORED_CONFIG.key in binaryData && !(isObject(data) && STORED_CONFIG.key in data)
  if (isBinary) return { ...configMap, binaryData: { ...binaryData, [STORED_CONFIG.key]: encoded(text) } }
  return { ...configMap, data: { ...(isObject(data) ? data : {}), [STORED_CONFIG.key]: text } }
}

const encoded = (text: string): string =>
  btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(''))
