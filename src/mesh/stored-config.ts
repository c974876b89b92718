/** The configuration of the mesh as a cluster stores it: JSON in a ConfigMap. */
import { isObject, type JsonObject } from '../json/member.ts'

/** The name of the ConfigMap, and its key with the configuration. */
export const STORED_CONFIG = { name: 'mesh-config', key: 'mesh-config.json' } as const

/** The text of the configuration in a ConfigMap; undefined where it has none. */
export function storedConfigText({ data, binaryData }: JsonObject): string | undefined {
  const text = isObject(data) ? data[STORED_CONFIG.key] : undefined
  const encoded = isObject(binaryData) ? binaryData[STORED_CONFIG.key] : undefined
  if (typeof text === 'string') return text
  return typeof encoded === 'string' ? decoded(encoded) : undefined
}

/** The configuration in a ConfigMap; undefined where there is none, or no JSON object. */
export function storedConfig(configMap: JsonObject): JsonObject | undefined {
  try {
    const config: unknown = JSON.parse(storedConfigText(configMap) ?? '')
    return isObject(config) ? config : undefined
  } catch {
    return undefined
  }
}

function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(atob(base64), (one) => one.charCodeAt(0)))
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
