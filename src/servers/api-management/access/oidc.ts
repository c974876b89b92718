/**
 * Signing in by OpenID Connect: the authorization code flow with PKCE (S256), state, nonce, and the issuer in the response.
 * What belongs to a sign-in that has begun is in a cookie that only this process can read: nothing is kept here.
 * Source: OpenID Connect Core 1.0 and Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (iss), RFC 9700 (security).
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { jwtVerify } from 'jose'
import { isObject, type JsonObject } from '../../../json/member.ts'
import type { Refusals } from './refusals.ts'
import { ALGORITHMS, readBounded, remoteKeys, rolesIn, SKEW, type TokenKeys } from './tokens.ts'

/** Whose sign-ins are accepted. */
export type OidcOptions = {
  readonly issuer: URL
  readonly clientId: string
  /** Undefined for a client without one. */
  readonly clientSecret: string | undefined
  readonly mapping: ClaimMapping
  /** What people call the provider. */
  readonly name: string
  /** Milliseconds of a clock that does not go back. */
  now(): number
  /** Milliseconds since 1970. */
  wallClock(): number
  /** The provider does not answer as it should. */
  onProblem(error: unknown): void
}

/** What claims of an ID token mean here. */
export type ClaimMapping = {
  /** The claim that names the user. The provider must never give a name to somebody else. */
  readonly name: string
  /** The claim with roles or groups. */
  readonly claim: string
  /** What each value of it gives; undefined: the values are roles. */
  readonly roles: Readonly<Record<string, readonly string[]>> | undefined
  readonly scope: string
}

export const DEFAULT_MAPPING: ClaimMapping = {
  ...{ name: 'sub', claim: 'roles', roles: undefined },
  scope: 'openid profile email',
}

/** Somebody who has signed in at the provider. */
export type Identity = { readonly name: string; readonly roles: readonly string[] }

/** Why a sign-in failed: the page has a sentence for each. */
export type OidcProblem = 'expired' | 'refused' | 'no-role' | 'unavailable'

/** Nobody is signed in. The message is for the log. */
export class OidcError extends Error {
  readonly problem: OidcProblem
  constructor(problem: OidcProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OidcError'
    this.problem = problem
  }
}

/** A sign-in that has begun. */
type Begun = {
  /** Where the browser goes. */
  readonly location: string
  /** What it must bring back. */
  readonly sealed: string
}

/** The provider, as a server uses it. All functions throw {@link OidcError}. */
type Oidc = {
  readonly name: string
  /** `to` is where the person wants to be then, `redirectUri` where the provider sends the browser back to. */
  begin(to: string, redirectUri: string): Promise<Begun>
  /** Who it is, and where he wants to be; `query` is what the provider sent back. */
  finish(
    query: URLSearchParams,
    sealed: string | undefined,
  ): Promise<{ readonly identity: Identity; readonly to: string }>
  /** Where a person who has signed in ends the session at the provider; undefined where that has no such place. */
  endAt(): string | undefined
}

/** A provider with where browsers find this server. */
export type SignInProvider = Oidc & {
  /** Such as `https://sluice.example/api`, without a slash at its end; undefined: as the browser says, with the base path. */
  readonly publicUrl: string | undefined
  readonly isEncrypted: boolean
  readonly refusals: Pick<Refusals, 'add'>
}

/** Milliseconds: to sign in at the provider; for its description to be read again; for one answer of it. */
export const PATIENCE = 10 * 60_000
const FRESH = 10 * 60_000
const TIMEOUT = 10_000

type Pending = {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
  readonly redirectUri: string
  readonly to: string
  readonly at: number
}

type Description = {
  readonly authorization: URL
  readonly token: URL
  readonly end: URL | undefined
  readonly keys: TokenKeys
  readonly sendsIssuer: boolean
  readonly isPost: boolean
}

/** Creates it. The provider is asked when somebody signs in. */
export function createOidc(options: OidcOptions): Oidc {
  const { issuer, clientId, mapping, now, wallClock } = options
  const { seal, unseal } = createSeal()
  let known: { readonly description: Description; readonly at: number } | undefined
  const describe = async (): Promise<Description> => {
    if (known && now() - known.at < FRESH) return known.description
    const description = await discover(options, known?.description)
    known = { description, at: now() }
    return description
  }
  return {
    name: options.name,
    async begin(to, redirectUri) {
      const { authorization } = await describe()
      const [state, nonce, verifier] = [randomText(), randomText(), randomText()]
      const location = new URL(authorization)
      const asked = {
        ...{
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          scope: mapping.scope,
          state,
          nonce,
        },
        ...{ code_challenge: createHash('sha256').update(verifier).digest('base64url'), code_challenge_method: 'S256' },
      }
      for (const [name, value] of Object.entries(asked)) location.searchParams.set(name, value)
      return { location: location.href, sealed: seal({ state, nonce, verifier, redirectUri, to, at: wallClock() }) }
    },
    async finish(query, sealed) {
      const pending = sealed === undefined ? undefined : unseal(sealed)
      if (!pending || wallClock() - pending.at > PATIENCE) throw new OidcError('expired', 'no sign-in has begun here')
      const one = (name: string) => (query.getAll(name).length === 1 ? query.get(name) : null)
      if (one('state') !== pending.state) throw new OidcError('expired', 'the state is that of another sign-in')
      const description = await describe()
      const from = query.get('iss')
      if (from === null ? description.sendsIssuer : one('iss') !== hrefOf(issuer))
        throw new OidcError('refused', 'the response is of another issuer')
      const code = one('code')
      if (code === null) throw new OidcError('refused', `the provider said ${JSON.stringify(query.get('error') ?? '')}`)
      const claims = await claimsFor(code, pending, { ...options, description })
      return { identity: identityOf(claims, mapping), to: pending.to }
    },
    endAt() {
      if (!known?.description.end) return undefined
      const location = new URL(known.description.end)
      location.searchParams.set('client_id', clientId)
      return location.href
    },
  }
}

/** 256 bits. */
const randomText = (): string => randomBytes(32).toString('base64url')

/** As issuers are compared: a URL of the root has no path. */
const hrefOf = (issuer: URL): string => (issuer.pathname === '/' ? issuer.origin : issuer.href)

/** Encrypts what a browser keeps, with a key of this process. */
function createSeal() {
  const key = randomBytes(32)
  return {
    seal(pending: Pending): string {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', key, iv)
      const text = Buffer.concat([cipher.update(JSON.stringify(pending)), cipher.final()])
      return Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url')
    },
    unseal(sealed: string): Pending | undefined {
      const bytes = Buffer.from(sealed, 'base64url')
      if (bytes.length < 28) return undefined
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12))
        decipher.setAuthTag(bytes.subarray(12, 28))
        return JSON.parse(Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString())
      } catch {
        // Of another process, or changed.
        return undefined
      }
    },
  }
}

/** Reads what the provider says of itself. Keys of before stay in use: they are read again when an unknown one is met. */
async function discover(options: OidcOptions, before: Description | undefined): Promise<Description> {
  const { issuer, now, onProblem } = options
  const at = new URL(`${issuer.href.replace(/\/$/, '')}/.well-known/openid-configuration`)
  const said = await answerOf(at, {}, options)
  if (said.issuer !== hrefOf(issuer) && said.issuer !== issuer.href)
    throw unavailable(options, new Error(`the issuer is ${JSON.stringify(said.issuer)}`))
  const urlIn = (name: string): URL | undefined => {
    const text = said[name]
    const url = typeof text === 'string' ? URL.parse(text) : null
    return url && (url.protocol === 'https:' || issuer.protocol === 'http:') ? url : undefined
  }
  const [authorization, token, keys] = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'].map(urlIn)
  if (!authorization || !token || !keys)
    throw unavailable(options, new Error('authorization_endpoint, token_endpoint or jwks_uri is missing'))
  const methods = said.token_endpoint_auth_methods_supported
  return {
    ...{ authorization, token, end: urlIn('end_session_endpoint') },
    keys: before?.keys ?? remoteKeys(keys, { now, onProblem }),
    sendsIssuer: said.authorization_response_iss_parameter_supported === true,
    isPost: Array.isArray(methods) && !methods.includes('client_secret_basic'),
  }
}

type Exchange = OidcOptions & { readonly description: Description }

/** Exchanges the code for an ID token, and checks it. */
async function claimsFor(
  code: string,
  { verifier, redirectUri, nonce }: Pending,
  options: Exchange,
): Promise<JsonObject> {
  const { clientId, clientSecret, issuer, wallClock, description } = options
  const form = new URLSearchParams({
    ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
    ...(clientSecret === undefined || description.isPost ? { client_id: clientId } : {}),
    ...(clientSecret !== undefined && description.isPost ? { client_secret: clientSecret } : {}),
  })
  const encoded = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  const basic = Buffer.from(`${encoded(clientId)}:${encoded(clientSecret ?? '')}`).toString('base64')
  const headers = clientSecret === undefined || description.isPost ? {} : { authorization: `Basic ${basic}` }
  const { id_token: idToken } = await answerOf(description.token, { method: 'POST', headers, body: form }, options)
  if (typeof idToken !== 'string') throw new OidcError('refused', 'the provider sent no ID token')
  try {
    const { payload } = await jwtVerify(idToken, description.keys, {
      ...{ issuer: [hrefOf(issuer), issuer.href], audience: clientId, algorithms: ALGORITHMS },
      ...{ requiredClaims: ['exp', 'iat', 'sub', 'nonce'], clockTolerance: SKEW, currentDate: new Date(wallClock()) },
    })
    const isForUs =
      payload.azp === undefined
        ? typeof payload.aud === 'string' || payload.aud?.length === 1
        : payload.azp === clientId
    if (payload.nonce !== nonce || !isForUs)
      throw new Error('the ID token is that of another sign-in, or for another client')
    return JSON.parse(JSON.stringify(payload))
  } catch (error) {
    throw new OidcError('refused', error instanceof Error ? error.message : 'the ID token is not valid', {
      cause: error,
    })
  }
}

function identityOf(claims: JsonObject, { name: nameClaim, claim, roles }: ClaimMapping): Identity {
  const name = claims[nameClaim]
  if (typeof name !== 'string' || !/^\P{Cc}{1,200}$/u.test(name))
    throw new OidcError('refused', `the claim ${nameClaim} of the ID token names nobody`)
  const values = rolesIn(claims[claim])
  const held = roles ? values.flatMap((value) => (Object.hasOwn(roles, value) ? (roles[value] ?? []) : [])) : values
  return { name: `oidc:${name}`, roles: [...new Set(held)].sort() }
}

/** The JSON that an address of the provider answers. */
async function answerOf(url: URL, init: RequestInit, options: OidcOptions): Promise<JsonObject> {
  try {
    const answer = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT) })
    // The provider says no to a code that is old, was used, or was somebody else's.
    if (answer.status === 400 || answer.status === 401)
      throw new OidcError('refused', `${url.pathname}: ${(await readBounded(answer, answer.status)).slice(0, 500)}`)
    const said: unknown = JSON.parse(await readBounded(answer))
    if (isObject(said)) return said
    throw new Error('it is not a JSON object')
  } catch (error) {
    throw error instanceof OidcError ? error : unavailable(options, error)
  }
}

function unavailable({ onProblem }: OidcOptions, cause: unknown): OidcError {
  onProblem(cause)
  return new OidcError('unavailable', 'the provider does not answer as it should', { cause })
}
