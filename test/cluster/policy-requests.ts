/** Policies written to an API server, as kubectl would without a check of its own, and what comes back. */
import { isObject, type JsonObject } from '../../src/json/member.ts'
import { askServer } from './ask.ts'
import type { ControlPlane } from './control-plane.ts'
import { ADMIN } from './users.ts'

/** An object with other members of its metadata. */
export const withMetadata = (object: JsonObject, change: JsonObject): JsonObject =>
  isObject(object.metadata) ? { ...object, metadata: { ...object.metadata, ...change } } : object

/** An answer of the API server: its status, its message, and its warnings. */
export type Answer = {
  readonly status: number
  readonly message: string
  readonly warnings: readonly string[]
  /** Of the object as it is stored. */
  readonly resourceVersion: string | undefined
}

/** Writes a policy with POST or PUT; by default as a dry run. */
export type Write = (method: 'POST' | 'PUT', object: JsonObject, query?: string) => Promise<Answer>

/** Makes the function that writes to an API server. */
export const createWriter =
  (plane: ControlPlane): Write =>
  async (method, object, query = 'dryRun=All') => {
    const { name = '', namespace: space = '' } = isObject(object.metadata) ? object.metadata : {}
    const [group = ''] = String(object.apiVersion).split('/')
    const folder = ['apis', group, 'v1alpha1', 'namespaces', String(space), 'ratelimitpolicies']
    const segments = method === 'PUT' ? [...folder, String(name)] : folder
    const path = `/${segments.map(encodeURIComponent).join('/')}?${query}`
    const { status, text, warnings } = await askServer(plane, path, ADMIN, { method, body: JSON.stringify(object) })
    return { status, warnings: warnings.map(readWarning), ...readBody(text) }
  }

/** The message of a Status, or the version of an object. A path that the server does not know gets a page instead. */
function readBody(text: string): Pick<Answer, 'message' | 'resourceVersion'> {
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : {}
  const { message = '', metadata } = isObject(body) ? body : {}
  const { resourceVersion } = isObject(metadata) ? metadata : {}
  return {
    message: String(message),
    resourceVersion: typeof resourceVersion === 'string' ? resourceVersion : undefined,
  }
}

/** The text of a `Warning` header: Node reads the bytes as Latin-1. */
const readWarning = (header: string): string =>
  Buffer.from(header, 'latin1')
    .toString('utf8')
    .replace(/^299 - "|"$/g, '')
    .replace(/\\(.)/g, '$1')

/** True where a ValidatingAdmissionPolicy denied the request. */
export const isDenied = ({ message }: Answer): boolean => message.includes('denied request')
