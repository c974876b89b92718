/** The user that the aggregator names in the headers of a request. Source: k8s.io/apiserver, `headerrequest`. */
import type { IncomingHttpHeaders } from 'node:http'
import type { User } from '../../http/delegated-access.ts'
import type { RequestHeaderTrust } from './authentication-config.ts'

/** Headers with each value apart: to join them would lose where one group ends. */
type Headers = NodeJS.Dict<string[]>

/** The user; undefined where no header names one. Must only be asked about requests of the aggregator. */
export function userOfHeaders(headers: Headers, trust: RequestHeaderTrust): User | undefined {
  const username = firstOf(headers, trust.usernameHeaders)
  if (username === undefined) return undefined
  const uid = firstOf(headers, trust.uidHeaders)
  const groups = trust.groupHeaders.flatMap((name) => (headers[name] ?? []).map(textOf))
  const user = { username, groups, extra: extraOf(headers, trust.extraPrefixes) }
  return withAuthenticated(uid === undefined ? user : { ...user, uid })
}

/** Everybody who is known is in the group `system:authenticated`. */
export const withAuthenticated = (user: User): User =>
  user.groups.some((group) => group === AUTHENTICATED || group === 'system:unauthenticated')
    ? user
    : { ...user, groups: [...user.groups, AUTHENTICATED] }

const AUTHENTICATED = 'system:authenticated'

/** The token of `Authorization: Bearer`; undefined where there is none. */
export function bearerToken({ authorization }: IncomingHttpHeaders): string | undefined {
  const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
  return token
}

function firstOf(headers: Headers, names: readonly string[]): string | undefined {
  for (const name of names) {
    const [value] = headers[name] ?? []
    if (value !== undefined && value !== '') return textOf(value)
  }
  return undefined
}

/** `X-Remote-Extra-Example.org%2FScopes: view` is the value `view` of the key `example.org/scopes`. */
function extraOf(headers: Headers, prefixes: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, string[]>()
  for (const [header, values = []] of Object.entries(headers)) {
    const prefix = prefixes.find((one) => header.startsWith(one))
    if (prefix === undefined) continue
    const key = unescaped(header.slice(prefix.length)).toLowerCase()
    extra.set(key, [...(extra.get(key) ?? []), ...values.map(textOf)])
  }
  return Object.fromEntries(extra)
}

function unescaped(key: string): string {
  try {
    return decodeURIComponent(key)
  } catch {
    // Go keeps such a key as it is, too.
    return key
  }
}

/** Node reads the bytes of a header as Latin-1; they are UTF-8. */
const textOf = (value: string): string => Buffer.from(value, 'latin1').toString('utf8')
