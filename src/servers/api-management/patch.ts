/** Patches of what is stored, as it is read: applied, and then judged like a PUT of what came out. */
import { patchable } from '../../api-management/keys.ts'
import { HttpError } from '../../http/http-error.ts'
import { JsonError, readStrictJson } from '../../http/strict-json.ts'
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { applyJsonPatch, mergePatch, PatchError, type PatchStep, readJsonPatch } from '../../json/patch-document.ts'
import { type Call, type Plan, refused } from './call.ts'
import type { Remark } from './judge.ts'
import type { Operation } from './openapi/operation.ts'
import { isWithin } from './remarks.ts'
import { bodyErrorsOf, LARGEST_BODY } from './request.ts'

/** What is patched. */
export type Target = {
  /** As it is stored, with what is kept of keys. */
  readonly stored: JsonObject
  /** Members that are read, too, and that no patch changes. */
  readonly readOnly: JsonObject
  /** What the result must be. */
  readonly body: Operation['body']
}

/** Plans what a PUT of the patched body would do. Throws 400, 409, 413, and what `plan` throws with the operation to blame. */
export async function planPatch(
  call: Call,
  { stored, readOnly, body: schemas }: Target,
  plan: (patched: Call) => Promise<Plan>,
): Promise<Plan> {
  const { type, document } = call.patch ?? {}
  const keys = patchable(stored)
  const target = { ...keys.shown, ...readOnly }
  const steps = type === 'json' ? stepsIn(document) : []
  const result = type === 'json' ? applied(target, steps, keys.copied) : merged(target, document)
  const sent = Object.entries(checked(result)).filter(([name]) => !Object.hasOwn(readOnly, name))
  const whole: JsonObject = Object.fromEntries(sent)
  // The document is about what clients send: hashes are no part of it.
  const bodyErrors = bodyErrorsOf({ body: schemas }, whole)
  try {
    return await plan({ ...call, body: keys.withKeys(whole), bodyErrors })
  } catch (error) {
    throw error instanceof HttpError ? withSteps(error, steps) : error
  }
}

function merged(target: JsonObject, document: unknown): Json {
  if (isObject(document)) return mergePatch(target, document)
  const remedy = 'Send the members that change: {"version": "v2"}.'
  throw refused([{ rule: 'patch', pointer: '', message: 'a merge patch must be a JSON object', remedy }])
}

function stepsIn(document: unknown): readonly PatchStep[] {
  try {
    return readJsonPatch(document)
  } catch (error) {
    throw asHttpError(error)
  }
}

function applied(target: JsonObject, steps: readonly PatchStep[], onCopy: (from: object, to: object) => void): Json {
  try {
    return applyJsonPatch(target, steps, onCopy)
  } catch (error) {
    throw asHttpError(error)
  }
}

/** RFC 5789, 2.2: 409 where what is there is not as the patch expects. */
const STATUSES = { malformed: 400, conflict: 409, large: 413 } as const

function asHttpError(error: unknown): unknown {
  if (!(error instanceof PatchError)) return error
  const { reason, pointer, message, remedy } = error
  const errors: readonly Remark[] = [{ rule: 'patch', pointer, message, remedy }]
  return new HttpError(STATUSES[reason], `the patch is not applied: ${message}`, { extensions: { errors } })
}

/** Throws where the result could not have been sent as a body. */
function checked(result: Json): JsonObject {
  const text = Buffer.from(JSON.stringify(result))
  if (text.length > LARGEST_BODY)
    throw new HttpError(413, `the result of the patch is larger than ${LARGEST_BODY} bytes`)
  try {
    readStrictJson(text, 'the result of the patch')
  } catch (error) {
    if (!(error instanceof JsonError)) throw error
    const { pointer, message, remedy } = error
    throw refused([{ rule: 'json', pointer, message, remedy }])
  }
  if (isObject(result)) return result
  const message = 'the result of the patch must be a JSON object'
  throw refused([{ rule: 'patch', pointer: '', message, remedy: 'Leave the root as it is.' }])
}

/** The error with the operation that wrote at each place. */
function withSteps({ status, message, options }: HttpError, steps: readonly PatchStep[]): HttpError {
  const { errors } = options.extensions ?? {}
  if (!Array.isArray(errors) || steps.length === 0) return new HttpError(status, message, options)
  const blamed = errors.map((remark: Remark) => {
    const index = steps.findLastIndex(({ op, path }) => op !== 'test' && isWithin(path, remark.pointer))
    return index < 0 ? remark : { ...remark, operation: `/${index}` }
  })
  return new HttpError(status, message, { ...options, extensions: { ...options.extensions, errors: blamed } })
}
