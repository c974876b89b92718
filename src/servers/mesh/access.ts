/** Who may call the API of a mesh without a cluster; what a request is about to do, as Kubernetes reads it, and how it is refused. */
import { timingSafeEqual } from 'node:crypto'
import type { Access, Attributes, User } from '../../http/delegated-access.ts'
import { HttpError } from '../../http/http-error.ts'

/** Whoever has the token. */
const HOLDER: User = { username: 'standalone', groups: ['system:masters', 'system:authenticated'], extra: {} }

/** Without a cluster: whoever has the token may do everything, and others nothing. */
export function tokenAccess(token: string): Access {
  const expected = Buffer.from(token)
  return {
    async authenticate({ headers: { authorization } }) {
      if (authorization === undefined) return 'anonymous'
      const sent = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
      return sent !== undefined && isSame(Buffer.from(sent), expected) ? HOLDER : 'rejected'
    },
    authorize: async (user) =>
      user === HOLDER
        ? { allowed: true, reason: '' }
        : { allowed: false, reason: 'send the token of this server, as in "Authorization: Bearer TOKEN"' },
  }
}

/** The length of a token is no secret: all that are made here have the same. */
const isSame = (sent: Buffer, expected: Buffer): boolean =>
  sent.length === expected.length && timingSafeEqual(sent, expected)

/** Source: RequestInfoFactory of k8s.io/apiserver. */
const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
}

/** Methods that mean something else for a collection than for one object. */
const OF_COLLECTIONS: Readonly<Record<string, string>> = { get: 'list', delete: 'deletecollection' }

/** Reads method and path; a path with fewer than four segments names no resource. `isWatch`: the query asks to watch. */
export function attributesOf(method: string, path: string, isWatch = false): Attributes {
  const [root, group = '', version = '', resource, ...rest] = path.replace(/^\/|\/$/g, '').split('/')
  if (root !== 'apis' || resource === undefined)
    return { verb: method.toLowerCase(), isResourceRequest: false, group: '', version: '', resource: '', path }
  const isNamespaced = resource === 'namespaces' && rest.length > 1
  const [named = resource, ...objects] = isNamespaced ? rest.slice(1) : [resource, ...rest]
  const verb = VERBS[method] ?? ''
  const [name] = objects
  const ofMany = verb === 'get' && isWatch ? 'watch' : (OF_COLLECTIONS[verb] ?? verb)
  const about = { isResourceRequest: true, group, version, resource: named, path }
  return name === undefined ? { verb: ofMany, ...about } : { verb, ...about, name }
}

/** The error of an API server for what a user may not do. Source: `Forbidden` of k8s.io/apiserver. */
export function forbidden({ username }: User, attributes: Attributes, reason: string): HttpError {
  const { verb, isResourceRequest, group, resource, name, path } = attributes
  const what = isResourceRequest
    ? `resource ${quoted(resource)} in API group ${quoted(group)} at the cluster scope`
    : `path ${quoted(path)}`
  const because = reason === '' ? '' : `: ${reason}`
  const shown = name === undefined ? '' : ` ${quoted(name)}`
  const subject = isResourceRequest
    ? `${group === '' ? resource : `${resource}.${group}`}${shown} is forbidden`
    : 'forbidden'
  const message = `User ${quoted(username)} cannot ${verb} ${what}`.replaceAll(/[&<>]/g, (one) => ESCAPES[one] ?? one)
  const details = isResourceRequest ? { group, kind: resource, ...(name === undefined ? {} : { name }) } : {}
  return new HttpError(403, `${subject}: ${message}${because}`, { details })
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** As `%q` of Go for text that can be printed. */
const quoted = (text: string): string => JSON.stringify(text)
