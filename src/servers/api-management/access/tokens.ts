/** Tokens: JSON Web Tokens (RFC 7519) that somebody else has signed, checked with public keys. */
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose'
import { HttpError } from '../../../http/http-error.ts'
import { isObject } from '../../../json/member.ts'
import { type TokenCheck, TokenError } from './access.ts'
import { principalOf } from './roles.ts'

/** Whose tokens are accepted. */
export type TokenOptions = {
  readonly keys: TokenKeys
  readonly issuer: string
  readonly audience: string
  /** Milliseconds since 1970. */
  wallClock(): number
}

/** Finds the key of a token. */
export type TokenKeys = JWTVerifyGetKey

/** With public keys only: where a token may choose another kind, a public key can serve as the secret of a forged one. */
export const ALGORITHMS = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']

/** Seconds by which the clocks of both machines may differ. */
export const SKEW = 60

/** Creates the check. The user of a token has the roles that its claim `roles` names. */
export function createTokenCheck({ keys, issuer, audience, wallClock }: TokenOptions): TokenCheck {
  const verify = async (token: string) => {
    const claims = { issuer, audience, requiredClaims: ['exp', 'sub'], clockTolerance: SKEW }
    const options = { ...claims, algorithms: ALGORITHMS, currentDate: new Date(wallClock()) }
    try {
      return await jwtVerify(token, keys, options)
    } catch (error) {
      if (error instanceof errors.JWKSMultipleMatchingKeys) return await verifyWithAny(token, error, options)
      throw error
    }
  }
  return async (token) => {
    try {
      const { payload } = await verify(token)
      // A token may hold anything, whatever its types say.
      const subject: unknown = payload.sub
      if (typeof subject !== 'string' || !/^\P{Cc}{1,200}$/u.test(subject))
        throw new TokenError('the claim sub of the token is not accepted')
      return principalOf(`jwt:${subject}`, rolesIn(payload.roles))
    } catch (error) {
      throw asTokenError(error)
    }
  }
}

/** For a token that does not name its key, where several could be it. */
async function verifyWithAny(token: string, keys: errors.JWKSMultipleMatchingKeys, options: JWTVerifyOptions) {
  for await (const key of keys) {
    try {
      return await jwtVerify(token, key, options)
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}

/** Roles as a list, or as words in one text. */
export function rolesIn(claim: unknown): readonly string[] {
  if (typeof claim === 'string') return claim.split(' ')
  return Array.isArray(claim) ? claim.filter((role) => typeof role === 'string') : []
}

function asTokenError(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new TokenError('the token has expired')
  if (error instanceof errors.JWTClaimValidationFailed)
    return new TokenError(`the claim ${error.claim} of the token is not accepted`)
  if (error instanceof errors.JOSEAlgNotAllowed) return new TokenError('the algorithm of the token is not accepted')
  if (error instanceof errors.JWKSNoMatchingKey) return new TokenError('there is no key for the token')
  return error instanceof errors.JOSEError ? new TokenError('the token is not valid') : error
}

/** Keys of a text: a JSON Web Key Set (RFC 7517). Throws an `Error` where it is none. */
export function readKeys(text: string): TokenKeys {
  const set = parsed(text)
  const keys = isObject(set) && Array.isArray(set.keys) ? set.keys.filter(isObject) : undefined
  if (!keys) throw new Error('it is not a JSON Web Key Set: {"keys": […]}')
  if (keys.some((key) => 'd' in key || 'k' in key))
    throw new Error('it has a private key: only public keys belong there')
  const usable = keys.filter(({ kty }) => typeof kty === 'string' && ['RSA', 'EC', 'OKP'].includes(kty))
  if (usable.length === 0) throw new Error('it has no public key of RSA, EC or OKP')
  return createLocalJWKSet({ keys: usable.map((key) => ({ ...key, kty: String(key.kty) })) })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Its message would show what is there, such as a private key.
    throw new Error('it is not JSON')
  }
}

/** Keys at an address. */
export type RemoteKeysOptions = {
  /** Milliseconds of a clock that does not go back. */
  now(): number
  /** They cannot be had; what was had before is used until it is ten minutes old. */
  onProblem(error: unknown): void
}

/** Milliseconds. */
const TIMEOUT = 5_000
const COOLDOWN = 30_000
const LONGEST_USE = 10 * 60_000

/** Milliseconds for which an address is left alone that did not respond. */
const PAUSE = 10_000

/** Bytes of a key set. */
const LARGEST = 1024 * 1024

/**
 * Keys at an address, which are read again where a token has an unknown key, but not more often than every thirty seconds.
 * They throw `HttpError` 503 where none can be had.
 */
export function remoteKeys(url: URL, { now, onProblem }: RemoteKeysOptions): TokenKeys {
  let pausedUntil = Number.NEGATIVE_INFINITY
  const unavailable = () =>
    new HttpError(503, 'the keys of tokens cannot be had now', { retryAfter: Math.ceil(PAUSE / 1000) })
  return createRemoteJWKSet(url, {
    timeoutDuration: TIMEOUT,
    cooldownDuration: COOLDOWN,
    cacheMaxAge: LONGEST_USE,
    async [customFetch](address, options) {
      if (now() < pausedUntil) throw unavailable()
      try {
        const text = await readBounded(await fetch(address, options))
        readKeys(text)
        return new Response(text)
      } catch (error) {
        pausedUntil = now() + PAUSE
        onProblem(error)
        throw unavailable()
      }
    },
  })
}

/** The text of an answer of this status. Throws where it has another one, or is too large. */
export async function readBounded({ status, body }: Response, expected = 200): Promise<string> {
  if (status !== expected) throw new Error(`status ${status}`)
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > LARGEST) throw new Error(`more than ${LARGEST} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
