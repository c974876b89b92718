/** A proxy as it is stored, and as somebody is changing it. */
import { BODY } from '../../../api-management/fields.ts'
import { isObject, type Json, type JsonObject } from '../../../json/member.ts'
import { PATHS, type ProxyPlace } from '../place.ts'

/** Changes that are not stored yet, and the version that they were made from. */
export type Draft = {
  readonly etag: string
  readonly body: JsonObject
  /** True where it is to replace what somebody else has stored meanwhile. */
  readonly replaces?: true
}

/** Where the changes of a proxy are kept. */
export const draftKey = (place: ProxyPlace): string => `draft ${PATHS.proxy(place)}`

/** A proxy without what the server says of it. */
export function bodyIn(proxy: JsonObject): JsonObject {
  const { status: _, ...body } = proxy
  return body
}

/** As text, one member a line. */
export const textOf = (body: JsonObject): string => `${JSON.stringify(body, undefined, 2)}\n`

/** The parts of a proxy that have fields of their own. */
export type Settings = { readonly hostname: string; readonly basePath: string; readonly environment: string }

const objectIn = (parent: JsonObject, name: string): JsonObject => {
  const value = parent[name]
  return isObject(value) ? value : {}
}

const textIn = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export function settingsOf(body: JsonObject): Settings {
  const config = objectIn(body, 'proxyConfig')
  return {
    hostname: textIn(config.hostname),
    basePath: textIn(objectIn(config, 'ingress').basePath),
    environment: textIn(body.environment) || BODY.environment.default,
  }
}

/** A proxy with other settings; an empty one is left out. */
export function withSettings(body: JsonObject, { hostname, basePath, environment }: Settings): JsonObject {
  const { hostname: _, ...config } = objectIn(body, 'proxyConfig')
  const { basePath: __, ...ingress } = objectIn(config, 'ingress')
  const nextIngress = basePath === '' ? ingress : { ...ingress, basePath }
  const hasIngress = config.ingress !== undefined || basePath !== ''
  const { environment: ___, ...others } = body
  return {
    ...others,
    ...(environment === BODY.environment.default && body.environment === undefined ? {} : { environment }),
    proxyConfig: {
      ...(hostname === '' ? {} : { hostname }),
      ...config,
      ...(hasIngress ? { ingress: nextIngress } : {}),
    },
  }
}

/** Reads a body that was typed. Throws `Error` with words for a person. */
export function readBody(text: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new Error(`This is no JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (isObject(value)) return value
  throw new Error('A proxy is a JSON object: {"name": "…"}.')
}
