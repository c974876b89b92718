/**
 * Requests to the API server with bodies of JSON. The generated classes of the client would load the models of every kind
 * that Kubernetes has: 50 MB of memory, and none of them knows the kinds of a custom resource.
 */

import { isObject, type JsonObject } from '../../json/member.ts'
import { statusOf } from './failure.ts'
import { createConfiguration, HttpMethod, type KubeConfig, RequestContext } from './library.ts'

/** A request. */
export type ApiRequest = {
  /** Default: `GET`. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Without the server, such as `/api/v1/namespaces`. */
  readonly path: string
  readonly query?: Readonly<Record<string, string | undefined>>
  readonly body?: object
  /** Default: `application/json`. */
  readonly contentType?: string
}

/** An error that the API server sends. */
class ApiError extends Error {
  readonly statusCode: number

  constructor(statusCode: number) {
    super(`the API server answers ${statusCode}`)
    this.name = 'ApiError'
    this.statusCode = statusCode
  }
}

const HTTP = createConfiguration().httpApi

/** A request of any type, and what is expected in response. */
type RawRequest = Pick<ApiRequest, 'path' | 'query'> & {
  readonly method: NonNullable<ApiRequest['method']>
  readonly body?: string
  readonly contentType?: string
  readonly accept: string
}

/** A response, with its headers by their names in small letters. */
type RawResponse = {
  readonly status: number
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
}

/** Sends a request; the response, whatever its status is. Rejects where there is none. */
export async function requestApi(
  kubeconfig: KubeConfig,
  { method, path, query = {}, body, contentType, accept }: RawRequest,
): Promise<RawResponse> {
  const { server = '' } = kubeconfig.getCurrentCluster() ?? {}
  const context = new RequestContext(server.replace(/\/$/, '') + path, HttpMethod[method])
  for (const [name, value] of Object.entries(query)) if (value !== undefined) context.setQueryParam(name, value)
  context.setHeaderParam('accept', accept)
  if (body !== undefined) {
    if (contentType !== undefined) context.setHeaderParam('content-type', contentType)
    context.setBody(body)
  }
  await kubeconfig.applySecurityAuthentication(context)
  const response = await HTTP.send(context).toPromise()
  return { status: response.httpStatusCode, text: await response.body.text(), headers: response.headers }
}

/** Sends a request; the object in the response. Rejects with {@link ApiError}, and where there is no response. */
export async function callApi(
  kubeconfig: KubeConfig,
  { method = 'GET', path, query = {}, body, contentType = 'application/json' }: ApiRequest,
): Promise<JsonObject> {
  const sent = body ? { body: JSON.stringify(body), contentType } : {}
  const { status, text } = await requestApi(kubeconfig, { method, path, query, accept: 'application/json', ...sent })
  if (status >= 300) throw new ApiError(status)
  const value: unknown = JSON.parse(text)
  if (!isObject(value)) throw new Error(`the API server's response to ${path} is no object`)
  return value
}

/** As {@link callApi}; undefined where the API server answers with this status, such as 404 for what does not exist. */
export async function callUnless(
  status: number,
  kubeconfig: KubeConfig,
  request: ApiRequest,
): Promise<JsonObject | undefined> {
  try {
    return await callApi(kubeconfig, request)
  } catch (error) {
    if (statusOf(error) === status) return undefined
    throw error
  }
}
