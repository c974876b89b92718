/**
 * The ConfigMap `extension-apiserver-authentication`, in which the API server says whom its extensions may trust. Source:
 * Kubernetes, "Configure the Aggregation Layer", and k8s.io/apiserver, `RequestHeaderAuthRequestController`.
 */
import { isObject, type JsonObject } from '../../json/member.ts'

/** Where the ConfigMap is. */
export const AUTHENTICATION_CONFIG = { namespace: 'kube-system', name: 'extension-apiserver-authentication' } as const

/** Whose headers say who sends a request. */
export type RequestHeaderTrust = {
  /** Authorities (PEM) of the aggregator's certificate, and of no other one. */
  readonly authorities: string
  /** Common names that its certificate may have; empty for any. */
  readonly allowedNames: readonly string[]
  /** Names of headers in lower case. Of those of the user, the first that is sent counts. */
  readonly usernameHeaders: readonly string[]
  readonly uidHeaders: readonly string[]
  readonly groupHeaders: readonly string[]
  readonly extraPrefixes: readonly string[]
}

/** Whom to trust. */
export type AuthenticationConfig = {
  /** Authorities (PEM) of the certificates of users; undefined where there are no such certificates. */
  readonly clientAuthorities: string | undefined
  /** Undefined where there is no aggregator: then no header is believed. */
  readonly requestHeader: RequestHeaderTrust | undefined
}

/** Trusts nobody. */
export const NOBODY_TRUSTED: AuthenticationConfig = { clientAuthorities: undefined, requestHeader: undefined }

/** Reads the ConfigMap. Throws where a member is there and cannot be read: to guess could mean to trust too much. */
export function readAuthenticationConfig({ data }: JsonObject): AuthenticationConfig {
  const values = isObject(data) ? data : {}
  const textAt = (key: string): string | undefined => {
    const value = values[key]
    return typeof value === 'string' && value.trim() !== '' ? value : undefined
  }
  const listAt = (key: string): readonly string[] => {
    const text = textAt(key)
    const list: unknown = text === undefined ? [] : parsed(key, text)
    if (!Array.isArray(list) || !list.every((item) => typeof item === 'string'))
      throw new Error(`${key} is no JSON list of strings`)
    return list
  }
  const namesAt = (key: string): readonly string[] => listAt(key).map((name) => name.toLowerCase())
  const authorities = textAt('requestheader-client-ca-file')
  const usernameHeaders = namesAt('requestheader-username-headers')
  return {
    clientAuthorities: textAt('client-ca-file'),
    requestHeader:
      authorities === undefined || usernameHeaders.length === 0
        ? undefined
        : {
            authorities,
            usernameHeaders,
            allowedNames: listAt('requestheader-allowed-names'),
            uidHeaders: namesAt('requestheader-uid-headers'),
            groupHeaders: namesAt('requestheader-group-headers'),
            extraPrefixes: namesAt('requestheader-extra-headers-prefix'),
          },
  }
}

function parsed(key: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${key} is no JSON`, { cause: error })
  }
}
