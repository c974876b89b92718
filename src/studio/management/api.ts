/** The management API, as the page calls it: with the cookie of its session. */
import { isObject, type JsonObject } from '../../json/member.ts'

/** Who is signed in. */
export type Session = {
  readonly user: string
  readonly roles: readonly string[]
  readonly mustChangePassword: boolean
  readonly csrf: string
  /** Where the session at the provider ends; undefined for who has signed in with a password. */
  readonly signOutAt?: string
}

/** True for users without a password here. */
export const signsInElsewhere = (user: string): boolean => user.startsWith('oidc:')

/** Where one may sign in, too. */
export type Provider = { readonly name: string; readonly path: string }

/** What a request answered. */
export type Answer = { readonly status: number; readonly body: JsonObject; readonly etag: string | undefined }

/** The version of an entity tag: what it has of the state, and of counts of requests, is no change of somebody else. */
const versionIn = (tag: string | null): string | undefined => tag?.replace(/\.[^."]*"$/, '"')

/** One thing that is wrong with a request. */
export type Remark = { readonly pointer: string; readonly message: string; readonly remedy: string }

/** The server refused a request. */
export class ApiProblem extends Error {
  readonly status: number
  readonly remarks: readonly Remark[]

  constructor(status: number, { detail, errors }: JsonObject) {
    super(typeof detail === 'string' ? sentence(detail) : `The server answered ${status}.`)
    this.name = 'ApiProblem'
    this.status = status
    this.remarks = Array.isArray(errors) ? errors.filter(isObject).map(remarkOf) : []
  }
}

const sentence = (text: string): string =>
  `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`

const remarkOf = ({ pointer, message, remedy }: JsonObject): Remark => ({
  pointer: String(pointer),
  message: String(message),
  remedy: String(remedy),
})

/** Nothing answered. */
export class Unreachable extends Error {
  constructor() {
    super('The server does not answer. Nothing was changed; try again.')
    this.name = 'Unreachable'
  }
}

type Sent = { readonly body?: JsonObject; readonly match?: string | undefined }

/** The API. Paths are those of its OpenAPI document. All functions throw {@link ApiProblem} and {@link Unreachable}. */
export type Api = {
  get(path: string): Promise<Answer>
  post(path: string, body: JsonObject): Promise<Answer>
  /** `match` is the `ETag` of what is replaced. */
  put(path: string, sent: Sent): Promise<Answer>
  remove(path: string, match?: string): Promise<Answer>
  /** Goes back to a version in the history. */
  restore(path: string, match: string | undefined): Promise<Answer>
  /** Undefined where nobody is signed in. */
  session(): Promise<Session | undefined>
  signIn(user: string, password: string): Promise<Session>
  signOut(): Promise<void>
  providers(): Promise<readonly Provider[]>
}

/** The folder of the page, without its last slash: the base path of the API. */
export const BASE = new URL('.', document.baseURI).pathname.replace(/\/$/, '')

/** Creates it. `onSessionEnd` is called when a request with the cookie found no session. */
export function createApi(onSessionEnd: () => void): Api {
  let csrf = ''
  const send = async (method: string, path: string, { body, match }: Sent = {}): Promise<Answer> => {
    const headers = {
      ...(body ? { 'content-type': 'application/json' } : {}),
      ...(method === 'GET' ? {} : { 'x-csrf-token': csrf }),
      ...(match === undefined ? {} : { 'if-match': match }),
    }
    const { response, answered } = await ask(path, {
      ...{ method, headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    if (response.ok) return { status: response.status, body: answered, etag: versionIn(response.headers.get('etag')) }
    if (response.status === 401 && path !== SESSION) onSessionEnd()
    throw new ApiProblem(response.status, answered)
  }
  const begun = (body: JsonObject): Session => {
    const session = sessionOf(body)
    csrf = session.csrf
    return session
  }
  return {
    get: (path) => send('GET', path),
    post: (path, body) => send('POST', path, { body }),
    put: (path, sent) => send('PUT', path, sent),
    remove: (path, match) => send('DELETE', path, { match }),
    restore: (path, match) => send('POST', path, { match }),
    async session() {
      const { status, body } = await send('GET', SESSION)
      return status === 200 ? begun(body) : undefined
    },
    signIn: async (user, password) => begun((await send('POST', SESSION, { body: { user, password } })).body),
    async signOut() {
      await send('DELETE', SESSION)
    },
    providers: async () =>
      itemsOf(await send('GET', `${SESSION}/providers`)).map(({ name, path }) => ({
        name: String(name),
        path: String(path),
      })),
  }
}

const SESSION = '/session'

/** Sends a request and reads all of its response. Throws {@link Unreachable}. */
async function ask(path: string, init: RequestInit) {
  try {
    const response = await fetch(BASE + path, init)
    return { response, answered: parsed(await response.text()) }
  } catch {
    throw new Unreachable()
  }
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

const sessionOf = ({ user, roles, mustChangePassword, csrf, signOutAt }: JsonObject): Session => ({
  ...(typeof signOutAt === 'string' ? { signOutAt } : {}),
  user: String(user),
  roles: Array.isArray(roles) ? roles.map(String) : [],
  mustChangePassword: mustChangePassword === true,
  csrf: String(csrf),
})

/** The items of a list. */
export const itemsOf = ({ body: { items } }: Answer): readonly JsonObject[] =>
  Array.isArray(items) ? items.filter(isObject) : []

/** All items of a list of which the API answers a page at a time. */
export async function allItems(
  api: Api,
  path: string,
  filter: Record<string, string> = {},
): Promise<readonly JsonObject[]> {
  const items: JsonObject[] = []
  let token: string | undefined
  do {
    const query = new URLSearchParams({ ...filter, limit: '100', ...(token === undefined ? {} : { after: token }) })
    const answer = await api.get(`${path}?${query}`)
    items.push(...itemsOf(answer))
    const { nextPageToken } = answer.body
    token = typeof nextPageToken === 'string' ? nextPageToken : undefined
  } while (token !== undefined)
  return items
}

/** What went wrong, in words for a person. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
