/**
 * In which form a client wants a response: bare, as the specification of the mesh has it, or as Kubernetes has objects, lists
 * and tables. Who sends options of a Kubernetes list, as kubectl and client libraries do, gets a list. Source: Kubernetes API
 * concepts, "Receiving resources as Tables", and `ListOptions` of meta/v1.
 */
import type { IncomingMessage } from 'node:http'
import { HttpError } from '../../http/http-error.ts'

/** A form of a response with all objects of a resource. */
export type Form = 'bare' | 'list' | 'table'

/** Options of `ListOptions` by which a client says that it expects a list. */
const LIST_OPTIONS = [
  ...['limit', 'continue', 'watch', 'fieldSelector', 'labelSelector', 'resourceVersion', 'resourceVersionMatch'],
  ...['timeoutSeconds', 'allowWatchBookmarks', 'sendInitialEvents'],
]

/** The query of a request. */
export function queryOf({ url = '' }: Pick<IncomingMessage, 'url'>): URLSearchParams {
  const start = url.indexOf('?')
  return new URLSearchParams(start === -1 ? '' : url.slice(start))
}

/** The form that a request for a resource wants. Costs nothing where there is no query and a plain `Accept`. */
export function formOf(request: IncomingMessage): Form {
  const { accept } = request.headers
  if (accept?.includes('as=Table') && accept.split(',').some(isTable)) return 'table'
  if (!request.url?.includes('?')) return 'bare'
  const query = queryOf(request)
  return LIST_OPTIONS.some((name) => query.has(name)) ? 'list' : 'bare'
}

function isTable(type: string): boolean {
  const [media, ...parameters] = type.split(';').map((part) => part.trim())
  const has = (text: string) => parameters.includes(text)
  return media === 'application/json' && has('as=Table') && has('g=meta.k8s.io') && has('v=v1')
}

/** Whether a request asks to be told of changes. */
export const isWatch = (request: Pick<IncomingMessage, 'url'>): boolean =>
  request.url?.includes('watch=') === true && /^(?:1|t|true)$/i.test(queryOf(request).get('watch') ?? '')

/** Picks the objects that the selectors of a query choose. Rejects what this API cannot answer with {@link HttpError}. */
export function selected<Item extends { readonly metadata: { readonly name: string } }>(
  request: IncomingMessage,
  items: readonly Item[],
): readonly Item[] {
  if (isWatch(request)) throw new HttpError(405, 'this API cannot be watched: ask again for changes')
  const query = queryOf(request)
  const [labels, fields] = [query.get('labelSelector') ?? '', query.get('fieldSelector') ?? '']
  if (labels !== '') throw new HttpError(400, 'the objects of this API have no labels: leave out labelSelector')
  if (fields === '') return items
  const [, operator, name] = /^metadata\.name(==?|!=)([^,=!]+)$/.exec(fields) ?? []
  if (operator === undefined)
    throw new HttpError(400, `the only field that selects here is metadata.name; got "${fields.slice(0, 100)}"`)
  return items.filter(({ metadata }) => (metadata.name === name) === (operator !== '!='))
}

/** What a request to change an object asks for. */
export type ChangeOptions = { readonly isDryRun: boolean; readonly validation: 'Strict' | 'Warn' | 'Ignore' }

const VALIDATIONS = ['Strict', 'Warn', 'Ignore'] as const

/** Reads `dryRun`, `fieldValidation` and `fieldManager`. Source: `PatchOptions` of meta/v1. */
export function readChangeOptions(request: IncomingMessage): ChangeOptions {
  const query = queryOf(request)
  const dryRun = query.getAll('dryRun')
  if (dryRun.some((value) => value !== 'All')) throw new HttpError(400, 'the only value of dryRun is All')
  const asked = query.get('fieldValidation') || 'Warn'
  const validation = VALIDATIONS.find((one) => one === asked)
  if (!validation)
    throw new HttpError(400, `fieldValidation must be one of ${VALIDATIONS.join(', ')}; got "${asked.slice(0, 100)}"`)
  if ((query.get('fieldManager') ?? '').length > 128)
    throw new HttpError(400, 'fieldManager has more than 128 characters')
  return { isDryRun: dryRun.length > 0, validation }
}
