/** AdmissionReview v1, as the API server sends it. Source: Kubernetes, "Dynamic Admission Control". */

import { OPERATIONS, type Review } from '../../admission/review.ts'
import { HttpError } from '../../http/http-error.ts'
import { parseJson } from '../../http/parse-json.ts'
import { isObject } from '../../json/member.ts'

/** A value takes two bytes or more of a body, and a hundred times that of memory: 3 MB of `{},` would be 150 MB. */
const MAX_VALUES = 100_000

/** Reads a body. Throws {@link HttpError} (400, or 413 for too many values), whose message describes what is wrong. */
export function readReview(body: Buffer): Review {
  const review = parse(body)
  if (!isObject(review)) throw badRequest('the body must be a JSON object')
  if (review.apiVersion !== 'admission.k8s.io/v1' || review.kind !== 'AdmissionReview')
    throw badRequest(
      `the body's kind is ${describe(review.kind)}, its apiVersion ${describe(review.apiVersion)}; expected "AdmissionReview" of "admission.k8s.io/v1"`,
    )
  const { request } = review
  if (!isObject(request)) throw badRequest('request is missing')
  const { uid, operation, object, oldObject } = request
  if (typeof uid !== 'string' || uid === '') throw badRequest('request.uid is missing')
  const known = OPERATIONS.find((one) => one === operation)
  if (!known) throw badRequest(`request.operation is ${describe(operation)}; expected one of ${OPERATIONS.join(', ')}`)
  if ((known === 'CREATE' || known === 'UPDATE') && !isObject(object))
    throw badRequest('request.object must be an object')
  return {
    uid,
    operation: known,
    namespace: textOf(request.namespace),
    name: textOf(request.name) ?? '',
    subResource: textOf(request.subResource) ?? '',
    dryRun: request.dryRun === true,
    object: isObject(object) ? object : undefined,
    oldObject: isObject(oldObject) ? oldObject : undefined,
  }
}

const badRequest = (message: string) => new HttpError(400, message)

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined)

const describe = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : 'missing'

const [QUOTE, COMMA, BACKSLASH, BRACKET, BRACE] = [...Buffer.from('",\\[{')]

/** About how many values a JSON text has: its commas and opening brackets outside of strings. */
function countValues(body: Buffer): number {
  let count = 0
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at]
    if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1
    else if (byte === QUOTE) at = endOfString(body, at + 1)
  }
  return count
}

/** The place of the quote that ends a string, or the end of the text. */
function endOfString(body: Buffer, from: number): number {
  for (let at = from; at < body.length; at += 1) {
    if (body[at] === QUOTE) return at
    if (body[at] === BACKSLASH) at += 1
  }
  return body.length
}

function parse(body: Buffer): unknown {
  if (body.length > 2 * MAX_VALUES && countValues(body) > MAX_VALUES)
    throw new HttpError(413, `the body has more than ${MAX_VALUES} values`)
  try {
    return parseJson(body.toString('utf8'))
  } catch {
    throw badRequest('the body is not valid JSON')
  }
}
