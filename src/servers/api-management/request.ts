/** Reads requests: parameters as the types that the OpenAPI document gives them, bodies as strict JSON, and what is wrong with either. */
import type { IncomingMessage } from 'node:http'
import { withoutHashes } from '../../api-management/keys.ts'
import { isPoliciesAlone } from '../../api-management/stored-form.ts'
import { type BodyBudget, mediaTypeOf, useJsonBody, useTypedBody } from '../../http/body.ts'
import { JsonError, readStrictJson } from '../../http/strict-json.ts'
import { isObject, type JsonObject } from '../../json/member.ts'
import { escapeToken, fieldPath } from '../../json/pointer.ts'
import { nearestInAnyCase } from '../../text/nearest.ts'
import { type Query, type ReadBody, refused, refusedAt } from './call.ts'
import type { Remark } from './judge.ts'
import { JSON_PATCH, type Operation, PATCH_TYPES } from './openapi/operation.ts'
import { errorsOf, type SchemaError } from './openapi/validate.mjs'

/** Bytes of one body. A body of a thousand policies is half as large. */
export const LARGEST_BODY = 1024 * 1024

/** Reads the query and the headers. Throws 400. */
export function readParameters(
  operation: Operation,
  { headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>,
): Query {
  const query = readQuery(operation, url)
  const errors = errorsOf(operation.id, { query, header: headers })
  if (errors.length > 0) throw refused(remarksOf(errors).map((remark) => parameterRemark(remark, operation, query)))
  return { query }
}

function readQuery({ parameters }: Operation, url: string): Query['query'] {
  const known = parameters.filter((one) => one.in === 'query')
  const query: Record<string, string | number | boolean> = {}
  const start = url.indexOf('?')
  const sent = new URLSearchParams(start < 0 ? '' : url.slice(start + 1))
  for (const [name, value] of sent) {
    const parameter = known.find((one) => one.name === name)
    const pointer = `/query/${escapeToken(name)}`
    if (!parameter) throw refusedAt(pointer, 'there is no such parameter', remedyOf(name, known))
    if (name in query) throw refusedAt(pointer, `${name} is there twice`, 'Send it once.')
    query[name] = typed(value, parameter.schema.type)
  }
  return query
}

function remedyOf(name: string, known: readonly { readonly name: string }[]): string {
  const names = known.map((one) => one.name)
  const meant = nearestInAnyCase(name.slice(0, 100), names)
  if (meant !== undefined) return `Write "${meant}".`
  return names.length === 0 ? 'Remove it: there are no parameters here.' : `Remove it; there are ${names.join(', ')}.`
}

/** A text as a value of a type; the text itself where it is none, which the schema refuses. */
function typed(text: string, type: unknown): string | number | boolean {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}

/** What is wrong with a parameter, with a value that is right. */
function parameterRemark(remark: Remark, { parameters }: Operation, query: Query['query']): Remark {
  const name = remark.pointer.replace(/^\/query\//, '')
  const { schema } = parameters.find((one) => one.name === name) ?? {}
  const { enum: words, minimum, maximum } = schema ?? {}
  if (typeof minimum === 'number' && typeof maximum === 'number')
    return { ...remark, remedy: `Write a number from ${minimum} to ${maximum.toLocaleString('en')}.` }
  if (!Array.isArray(words)) return remark
  const known = words.map(String)
  const meant = nearestInAnyCase(String(query[name]).slice(0, 100), known)
  const message = `${fieldPath(remark.pointer)} must be one of ${known.join(', ')}`
  return {
    ...remark,
    message,
    remedy: meant === undefined ? `Write "${known[0]}", or leave it out.` : `Write "${meant}".`,
  }
}

/**
 * Reads the body of an operation and passes it on, while its bytes count for the budget. Throws 400, 413, 415 and 503, and what
 * `use` throws.
 */
export function useBody<Value>(
  operation: Operation,
  { request, budget }: { readonly request: IncomingMessage; readonly budget: BodyBudget },
  use: (read: ReadBody) => Promise<Value>,
): Promise<Value> {
  const { method } = operation
  if (method === 'patch') {
    const accepted = { type: PATCH_TYPES, refusal: { headers: { 'accept-patch': PATCH_TYPES.join(', ') } } }
    return useTypedBody(request, { ...accepted, limit: LARGEST_BODY, budget }, (bytes) => {
      const type = mediaTypeOf(request.headers) === JSON_PATCH ? 'json' : 'merge'
      return use({ body: {}, bodyErrors: [], patch: { type, document: parsed(bytes) } })
    })
  }
  return useJsonBody(request, { limit: LARGEST_BODY, budget }, (bytes) => {
    const sent = parsed(bytes)
    if (!isObject(sent)) throw refusedAt('', 'the body must be a JSON object', 'Send an object: {"name": "…"}.')
    // Set by the server; clients send it when they send back what they have read.
    const { status: _, ...whole } = sent
    const body = withoutHashes(whole)
    return use({ body, bodyErrors: bodyErrorsOf(operation, body) })
  })
}

/** What the OpenAPI document says against the body of an operation; of a PATCH, against what it makes. */
export const bodyErrorsOf = (operation: Pick<Operation, 'body'>, body: JsonObject): readonly Remark[] =>
  remarksOf(errorsOf(schemaFor(operation, body), body))

function parsed(bytes: Buffer): unknown {
  try {
    return readStrictJson(bytes)
  } catch (error) {
    if (error instanceof JsonError) throw refused([{ rule: 'json', ...wordsOf(error) }])
    throw error
  }
}

const wordsOf = ({ pointer, message, remedy }: JsonError) => ({ pointer, message, remedy })

const schemaFor = ({ body: [first = '', second] }: Pick<Operation, 'body'>, body: JsonObject): string =>
  second !== undefined && isPoliciesAlone(body) ? second : first

/** Errors of a schema as remarks, each place once. */
function remarksOf(errors: readonly SchemaError[]): readonly Remark[] {
  const remarks = errors
    // What follows from other errors.
    .filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'const')
    .map(({ instancePath, keyword, params, message = '' }): Remark => {
      const { missingProperty, additionalProperty } = params
      const name = missingProperty ?? additionalProperty
      const pointer = name === undefined ? instancePath : `${instancePath}/${escapeToken(String(name))}`
      const field = fieldPath(pointer).slice(0, 200)
      if (keyword === 'required')
        return { rule: 'request', pointer, message: `${field} is missing`, remedy: `Add "${String(name)}".` }
      if (keyword === 'additionalProperties')
        return { rule: 'request', pointer, message: `${field} is not known`, remedy: 'Remove it.' }
      return {
        rule: 'request',
        pointer,
        message: `${field} ${message}`,
        remedy: REMEDIES[keyword] ?? 'Write another value.',
      }
    })
  return [...new Map(remarks.map((remark) => [`${remark.pointer}\n${remark.message}`, remark])).values()]
}

const REMEDIES: Readonly<Record<string, string>> = {
  type: 'Write a value of this type.',
  pattern: 'Write a value of this form.',
  enum: 'Write one of the values that the OpenAPI document names.',
  minLength: 'Write a longer text.',
  maxLength: 'Write a shorter text.',
}
