/**
 * Asks the API server who has a token (TokenReview), and who may do what (SubjectAccessReview). Answers are kept for ten
 * seconds, as API servers keep them; errors are not. Source: Kubernetes, "Authenticating", "Authorization Overview".
 */
import { createHash } from 'node:crypto'
import type { Attributes, User } from '../../http/delegated-access.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { callApi } from '../client/api.ts'
import type { KubeConfig } from '../client/library.ts'
import { withAuthenticated } from './request-headers.ts'

/** What the API server says of a user. */
type Verdict = { readonly allowed: boolean; readonly reason: string }

/** Asks. Each rejects where the API server does not answer. */
export type Reviews = {
  /** The user who has a token; undefined where nobody has it. */
  userOfToken(token: string): Promise<User | undefined>
  mayDo(user: User, attributes: Attributes): Promise<Verdict>
}

const LIFETIME = 10_000
const MOST_KEPT = 4_096

/** `now` is in milliseconds. */
export function createReviews(kubeconfig: KubeConfig, now: () => number): Reviews {
  const users = createExpiringCache<User | undefined>({ lifetime: LIFETIME, most: MOST_KEPT, now })
  const verdicts = createExpiringCache<Verdict>({ lifetime: LIFETIME, most: MOST_KEPT, now })
  return {
    // Tokens are not kept in memory longer than a request.
    userOfToken: (token) => users(digestOf(token), async () => await reviewToken(kubeconfig, token)),
    mayDo: (user, attributes) =>
      verdicts(
        digestOf(JSON.stringify([user, attributes])),
        async () => await reviewAccess(kubeconfig, user, attributes),
      ),
  }
}

const digestOf = (text: string): string => createHash('sha256').update(text).digest('base64')

async function reviewToken(kubeconfig: KubeConfig, token: string): Promise<User | undefined> {
  const status = await review(kubeconfig, '/apis/authentication.k8s.io/v1/tokenreviews', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenReview',
    spec: { token },
  })
  if (
    typeof status.error === 'string' &&
    status.error !== '' &&
    status.authenticated !== true &&
    !isObject(status.user)
  )
    return undefined
  const { user } = status
  if (status.authenticated !== true || !isObject(user) || typeof user.username !== 'string') return undefined
  const known = { username: user.username, groups: textsIn(user.groups), extra: extraIn(user.extra) }
  return withAuthenticated(typeof user.uid === 'string' ? { ...known, uid: user.uid } : known)
}

async function reviewAccess(kubeconfig: KubeConfig, user: User, attributes: Attributes): Promise<Verdict> {
  const { isResourceRequest, verb, group, version, resource, name, path } = attributes
  const wanted = isResourceRequest
    ? { resourceAttributes: { verb, group, version, resource, ...(name === undefined ? {} : { name }) } }
    : { nonResourceAttributes: { verb, path } }
  const { username, uid, groups, extra } = user
  const status = await review(kubeconfig, '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: { ...wanted, user: username, groups, extra, ...(uid === undefined ? {} : { uid }) },
  })
  // An error of the evaluation alone does not refuse: another authorizer may have allowed it.
  return { allowed: status.allowed === true, reason: typeof status.reason === 'string' ? status.reason : '' }
}

async function review(kubeconfig: KubeConfig, path: string, body: object): Promise<JsonObject> {
  const { status } = await callApi(kubeconfig, { method: 'POST', path, body })
  if (!isObject(status)) throw new Error(`the API server's response to ${path} has no status`)
  return status
}

const textsIn = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

const extraIn = (value: unknown): User['extra'] =>
  isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, values]) => [key, textsIn(values)])) : {}

/** Looks an answer up by a key, or asks for it. What rejects is not kept. */
export type ExpiringCache<Value> = (key: string, ask: () => Promise<Value>) => Promise<Value>

/** Creates one. `now` is in milliseconds; of more than `most` answers the oldest is dropped. */
export function createExpiringCache<Value>(options: {
  readonly lifetime: number
  readonly most: number
  now(): number
}): ExpiringCache<Value> {
  const { lifetime, most, now } = options
  const kept = new Map<string, { readonly value: Promise<Value>; until: number }>()
  return (key, ask) => {
    const known = kept.get(key)
    if (known && now() < known.until) return known.value
    const value = ask()
    // For as long as nobody knows the answer, all who ask wait for it.
    const entry = { value, until: Number.POSITIVE_INFINITY }
    kept.delete(key)
    kept.set(key, entry)
    value.then(
      () => {
        entry.until = now() + lifetime
      },
      () => {
        if (kept.get(key) === entry) kept.delete(key)
      },
    )
    const [oldest = key] = kept.keys()
    if (kept.size > most) kept.delete(oldest)
    return value
  }
}
