/** Signing in at a provider: the browser goes there, comes back, and has a session as after a password. */
import type { Request, Response } from 'express'
import { HttpError } from '../../http/http-error.ts'
import { type Store, StoreConflict, type User } from '../../store/store.ts'
import { addressOf } from './access/authenticate.ts'
import { type Identity, OidcError, PATIENCE, type SignInProvider } from './access/oidc.ts'
import { principalOf } from './access/roles.ts'
import { cookieIn } from './access/sessions.ts'
import { refusedAt } from './call.ts'
import type { HandlerOptions, Planners } from './planner.ts'

/** Plans which providers there are. */
export function createProviders({ oidc }: HandlerOptions) {
  return {
    async listProviders() {
      return { reply: { status: 200, body: { items: oidc ? [{ name: oidc.name, path: START }] : [] } } }
    },
  } satisfies Planners
}

const START = '/session/oidc'
const CALLBACK = '/session/oidc/callback'

type Options = Pick<HandlerOptions, 'store' | 'sessions' | 'log' | 'oidc' | 'wallClock'> & { readonly basePath: string }

/** What a link back to a view of the page may be: a fragment. */
const TO = /^#[\x21-\x7e]{0,500}$/

/** The operations that a browser visits, which answer by sending it somewhere else. */
export function createOidcSignIn({ store, sessions, log, oidc, wallClock, basePath }: Options) {
  const provider = (): SignInProvider => {
    if (oidc) return oidc
    throw new HttpError(404, 'this server has no other way to sign in')
  }
  const cookieName = () => (provider().isEncrypted ? '__Host-sluice-oidc' : 'sluice-oidc')
  const cookie = (value: string, seconds: number) =>
    `${cookieName()}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; Secure; SameSite=Lax`
  const redirect = (response: Response, location: string, cookies: readonly string[]) => {
    response.writeHead(303, { location, 'set-cookie': [...cookies], 'referrer-policy': 'no-referrer' })
    response.end()
  }
  const page = () => provider().publicUrl ?? basePath
  const refuse = (request: Request, response: Response, error: unknown) => {
    if (!(error instanceof OidcError)) throw error
    const { problem, message } = error
    provider().refusals.add('oidc', addressOf(request))
    log.warn({ problem, reason: message, address: addressOf(request) }, 'a sign-in at the provider was refused')
    redirect(response, `${page()}/?sign-in=${problem}`, [cookie('', 0)])
  }
  return {
    async beginOidc(request: Request, response: Response): Promise<void> {
      const { begin, publicUrl, isEncrypted } = provider()
      const to = toIn(request.url)
      const origin = `${isEncrypted ? 'https' : 'http'}://${request.headers.host ?? ''}`
      try {
        const { location, sealed } = await begin(to, `${publicUrl ?? origin + basePath}${CALLBACK}`)
        redirect(response, location, [cookie(sealed, PATIENCE / 1000)])
      } catch (error) {
        refuse(request, response, error)
      }
    },
    async finishOidc(request: Request, response: Response): Promise<void> {
      const { finish } = provider()
      const query = new URL(request.url, 'http://localhost').searchParams
      try {
        const { identity, to } = await finish(query, cookieIn(request.headers, cookieName()))
        const user = await asUser(identity, { store, at: wallClock(), request: String(response.locals.correlation) })
        sessions.end(request.headers)
        log.info({ user: user.name, address: addressOf(request) }, 'signed in')
        redirect(response, `${page()}/${to}`, [cookie('', 0), sessions.begin(user).cookie])
      } catch (error) {
        refuse(request, response, error)
      }
    },
  }
}

function toIn(url: string): string {
  const sent = new URL(url, 'http://localhost').searchParams
  const to = sent.get('to') ?? ''
  if (to === '' || TO.test(to)) return to
  throw refusedAt('/query/to', 'it is not a place on the page', 'Send a fragment, such as #/services.')
}

type Storing = {
  readonly store: Pick<Store, 'user' | 'commit'>
  readonly at: number
  readonly request: string
  readonly attempt?: number
}

/**
 * Somebody who has signed in, as a user without a password: what tokens and sessions of theirs may, follows their roles of
 * now. Who has no role here any longer is refused, and their tokens may nothing.
 */
async function asUser({ name, roles }: Identity, { store, at, request, attempt = 1 }: Storing): Promise<User> {
  const before = await store.user(name)
  const isAllowed = principalOf(name, roles).mayRead()
  const isSame = before !== undefined && before.roles.join() === roles.join()
  const user: User = isSame
    ? before
    : { name, roles, passwordHash: '', mustChangePassword: false, revision: (before?.revision ?? 0) + 1 }
  if (!isSame && (isAllowed || before)) {
    const change = { put: 'user', value: user, expected: before?.revision } as const
    try {
      await store.commit([{ author: { by: name, request, at } }, change])
    } catch (error) {
      // Signed in at another place at the same time.
      if (error instanceof StoreConflict && attempt < 5)
        return await asUser({ name, roles }, { store, at, request, attempt: attempt + 1 })
      throw error
    }
  }
  if (!isAllowed) throw new OidcError('no-role', `${name} has none of the roles`)
  return user
}

/** True for users who sign in at a provider: their roles come from there. */
export const signsInElsewhere = ({ passwordHash }: Pick<User, 'passwordHash'>): boolean => passwordHash === ''
