/** Responses with objects of Kubernetes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HttpError, sendJson } from '../../http/http-error.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { type Form, formOf, queryOf, selected } from './negotiation.ts'
import { listOf, type MeshObject, tableOf } from './objects.ts'

/** Objects of one kind. */
type Objects = { readonly kind: string; readonly items: readonly MeshObject[] }

/** Sends objects in the form that the client wants. */
export const createSender = (names: ApiNames) => ({
  sendObject(request: IncomingMessage, response: ServerResponse, object: MeshObject): void {
    const isTable = formOf(request) === 'table'
    const value = isTable ? tableOf(object.kind, [object], queryOf(request).get('includeObject')) : object
    sendJson(response, 200, JSON.stringify(value))
  },
  sendObjects(request: IncomingMessage, response: ServerResponse, form: Form, { kind, items }: Objects): void {
    const chosen = selected(request, items)
    const include = queryOf(request).get('includeObject')
    const value = form === 'table' ? tableOf(kind, chosen, include) : listOf(kind, chosen, names)
    sendJson(response, 200, JSON.stringify(value))
  },
})

/** The name of the object that a request is about. */
export const nameOf = ({ url = '' }: IncomingMessage): string =>
  (url.split('?', 1)[0] ?? '').replace(/\/$/, '').split('/').pop() ?? ''

/** The error of an API server. Source: `NewNotFound` of k8s.io/apimachinery. */
export const notFound = ({ meshGroup }: ApiNames, resource: string, name: string): HttpError =>
  new HttpError(404, `${resource}.${meshGroup} ${JSON.stringify(name)} not found`, {
    details: { name, group: meshGroup, kind: resource },
  })
