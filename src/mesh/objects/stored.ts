/** ConfigMaps: the stored configuration of the mesh, and texts that may name its API group. */
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { escapeToken } from '../../json/pointer.ts'
import { readIdentity, readMetadata } from '../../kubernetes/metadata.ts'
import type { ObjectView } from '../../world/objects.ts'

/** The ConfigMap in which the mesh keeps its configuration, and the key of the text. */
export const STORED = { name: 'mesh-config', key: 'mesh-config.json' } as const

/** The stored configuration. */
type StoredConfig = {
  /** Where its text is. */
  readonly pointer: string
  /** Undefined where the text is no JSON. */
  readonly config: Json | undefined
}

/** A ConfigMap. */
export type ConfigMapView = ObjectView & {
  readonly texts: readonly { readonly pointer: string; readonly text: string }[]
  /** Undefined for a ConfigMap of something else. */
  readonly stored: StoredConfig | undefined
}

/** Reads a ConfigMap. */
export function readConfigMap(object: JsonObject, namespace?: string): ConfigMapView {
  const identity = readIdentity('ConfigMap', readMetadata(object), namespace)
  const data = isObject(object.data) ? object.data : {}
  const texts = Object.entries(data).flatMap(([key, text]) =>
    typeof text === 'string' ? [{ pointer: `/data/${escapeToken(key)}`, text }] : [],
  )
  return { object, identity, texts, stored: identity.name === STORED.name ? readStored(object) : undefined }
}

function readStored({ data, binaryData }: JsonObject): StoredConfig | undefined {
  const text = isObject(data) ? data[STORED.key] : undefined
  if (typeof text === 'string') return { pointer: `/data/${STORED.key}`, config: parsed(text) }
  const encoded = isObject(binaryData) ? binaryData[STORED.key] : undefined
  if (typeof encoded !== 'string') return undefined
  return { pointer: `/binaryData/${STORED.key}`, config: parsed(decoded(encoded)) }
}

function parsed(text: string | undefined): Json | undefined {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The text that Base64 stands for; undefined for any other. */
export function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
