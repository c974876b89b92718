/** Changes of the configuration as an object of Kubernetes: a patch of the whole becomes operations on fields. */
import { HttpError } from '../../http/http-error.ts'
import { isObject, type Json, type JsonObject } from '../../json/member.ts'
import { applyJsonPatch, mergePatch, PatchError, readJsonPatch } from '../../json/patch-document.ts'
import { escapeToken, fieldPath, pointerTokens } from '../../json/pointer.ts'
import { isSameValue } from '../../json/same.ts'
import type { ApiNames } from '../../kubernetes/api-groups.ts'
import { type ConfigShape, configShape, jsonAt, unknownField, withValue } from '../../mesh/config.ts'
import type { ConfigOperation } from '../../mesh/contradictions.ts'
import { type OperationError, patchConfig } from '../../mesh/patch-config.ts'
import type { ChangeOptions } from './negotiation.ts'
import { CONFIG_NAME, configObject, type MeshObject } from './objects.ts'
import { OBJECT_PATCHES } from './operations.ts'

/** A patch as it was sent. */
export type SentPatch = { readonly type: string; readonly body: Json }

/** The configuration after a patch, and what the client should know. */
export type PatchedObject = { readonly config: JsonObject; readonly warnings: readonly string[] }

/** Applies a patch. Throws `HttpError`: 400, 409 where the object has another version than the patch says, or 422. */
export function patchObject(
  before: JsonObject,
  sent: SentPatch,
  { names, validation }: { readonly names: ApiNames; readonly validation: ChangeOptions['validation'] },
): PatchedObject {
  const object = configObject(before, names)
  const { apiVersion, kind, metadata, ...fields } = patched(object, sent)
  checkIdentity(object, { apiVersion, kind, metadata }, names)
  const shape = configShape(names)
  const { known, unknown } = knownFields(fields, before, shape)
  if (validation === 'Strict' && unknown.length > 0)
    throw new HttpError(400, `strict decoding error: ${shortened(unknown).join(', ')}`)
  const config = changedConfig(before, known, { names, shape })
  const notKept = isObject(metadata)
    ? Object.keys(metadata).filter((name) => name !== 'name' && name !== 'resourceVersion')
    : []
  const warnings = [
    ...(validation === 'Warn' ? unknown : []),
    ...notKept.map((name) => `metadata.${name} is not kept: the configuration has none`),
  ]
  return { config, warnings: shortened(warnings) }
}

const MOST_TOLD = 10

/** The first of many sentences, and how many more there are. */
const shortened = (all: readonly string[]): readonly string[] =>
  all.length > MOST_TOLD ? [...all.slice(0, MOST_TOLD - 1), `and ${all.length - MOST_TOLD + 1} more`] : all

function patched(object: MeshObject, { type, body }: SentPatch): JsonObject {
  const result = type === OBJECT_PATCHES.json ? jsonPatched(object, body) : mergePatch(object, mergeOf(body, type))
  if (isObject(result)) return result
  throw new HttpError(400, 'the patch leaves no object')
}

function mergeOf(body: Json, type: string): Json {
  if (!isObject(body)) throw new HttpError(400, 'a merge patch must be a JSON object')
  if (type === OBJECT_PATCHES.strategic && hasDirective(body))
    throw new HttpError(415, 'directives of a strategic merge patch are not supported: send a merge or a JSON patch')
  return body
}

/** True where a member begins with `$`, such as `$patch`. */
function hasDirective(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.some(hasDirective)
  return isObject(value) && Object.entries(value).some(([name, inner]) => name.startsWith('$') || hasDirective(inner))
}

function jsonPatched(object: MeshObject, body: Json): Json {
  try {
    return applyJsonPatch(object, readJsonPatch(body))
  } catch (error) {
    if (!(error instanceof PatchError)) throw error
    const message = `the patch${error.pointer === '' ? '' : `, ${error.pointer}`}: ${error.message}`
    throw new HttpError(error.reason === 'malformed' ? 400 : 422, message)
  }
}

type Identity = { readonly [name in 'apiVersion' | 'kind' | 'metadata']: Json | undefined }

function checkIdentity(object: MeshObject, { apiVersion, kind, metadata }: Identity, { meshGroup }: ApiNames): void {
  const { name, resourceVersion } = isObject(metadata) ? metadata : {}
  if (apiVersion !== object.apiVersion || kind !== object.kind)
    throw new HttpError(400, `the object has the apiVersion ${object.apiVersion} and the kind ${object.kind}`)
  if (name !== CONFIG_NAME)
    throw new HttpError(400, `the name of the object is "${CONFIG_NAME}", and cannot be changed`)
  // Without a version the patch is meant for whatever is there.
  if (resourceVersion === undefined || resourceVersion === '' || resourceVersion === object.metadata.resourceVersion)
    return
  throw new HttpError(
    409,
    `Operation cannot be fulfilled on config.${meshGroup} "${CONFIG_NAME}": the object has been modified; please apply your changes to the latest version and try again`,
    { details: { name: CONFIG_NAME, group: meshGroup, kind: 'config' } },
  )
}

type Known = { readonly known: JsonObject; readonly unknown: readonly string[] }

/** The fields without those that there are not, which a client may have misspelt. What is stored already is no mistake of his. */
function knownFields(fields: JsonObject, before: JsonObject, shape: ConfigShape, base = ''): Known {
  const unknown: string[] = []
  const known: Record<string, Json> = {}
  for (const [name, value] of Object.entries(fields)) {
    const pointer = `${base}/${escapeToken(name)}`
    if (value === undefined) continue
    if (shape.fields.has(pointer)) known[name] = value
    else if (!shape.objects[pointer]) {
      const stored = jsonAt(before, pointer)
      if (stored !== undefined && isSameValue(stored, value)) continue
      unknown.push(`unknown field "${fieldPath(pointer)}"${suggestion(unknownField(shape, base, name, fields))}`)
    } else if (!isObject(value)) known[name] = value
    else {
      const inner = knownFields(value, before, shape, pointer)
      known[name] = inner.known
      unknown.push(...inner.unknown)
    }
  }
  return { known, unknown }
}

const suggestion = (reason: string): string => /; did you mean .*/.exec(reason)?.[0] ?? ''

/** The configuration with the fields of another one, where they differ. */
function changedConfig(
  before: JsonObject,
  fields: JsonObject,
  { names, shape }: { readonly names: ApiNames; readonly shape: ConfigShape },
): JsonObject {
  let [replaced, removed]: [JsonObject, JsonObject] = [{}, {}]
  for (const [pointer, { type }] of shape.fields) {
    const broken = brokenParent(fields, pointer)
    if (broken !== undefined) throw invalid(names, [{ field: fieldPath(broken), reason: 'expected an object' }])
    // What is null is removed, as in a merge patch.
    const to = jsonAt(fields, pointer) ?? undefined
    if (isSame(jsonAt(before, pointer), to)) continue
    if (to === undefined) removed = withValue(removed, pointer, type.isList ? [] : null)
    else replaced = withValue(replaced, pointer, to)
  }
  const operations: JsonObject[] = [
    { op: 'remove', field: removed },
    { op: 'replace', field: replaced },
  ].filter(({ field }) => Object.keys(field).length > 0)
  if (operations.length === 0) return before
  const outcome = patchConfig(before, operations, names)
  if ('document' in outcome) return outcome.document
  throw invalid(names, outcome.errors)
}

const isSame = (from: Json | undefined, to: Json | undefined): boolean =>
  from === to || (from !== undefined && to !== undefined && isSameValue(from, to))

/** The object that holds a field, where it is none. */
function brokenParent(fields: JsonObject, pointer: string): string | undefined {
  let at = ''
  for (const token of pointerTokens(pointer).slice(0, -1)) {
    at += `/${escapeToken(token)}`
    const value = jsonAt(fields, at)
    if (value !== undefined && value !== null && !isObject(value)) return at
  }
  return undefined
}

const MOST_CAUSES = 100

type Wrong = Pick<OperationError, 'field' | 'reason' | 'first'>

/** The error of an API server for an object that cannot be stored. Source: `NewInvalid` of k8s.io/apimachinery. */
function invalid({ meshGroup }: ApiNames, errors: readonly Wrong[]): HttpError {
  const causes = errors.slice(0, MOST_CAUSES).map(({ field, reason, first }) => {
    const remedy = first ? `; first patch ${JSON.stringify(mergeOfOperations(first))}` : ''
    return { reason: 'FieldValueInvalid', message: `${reason}${remedy}`, field }
  })
  const told = causes.map(({ field, message }) => `${field}: ${message}`)
  const all = told.length === 1 ? told[0] : `[${told.join(', ')}]`
  return new HttpError(422, `MeshConfig.${meshGroup} "${CONFIG_NAME}" is invalid: ${all}`, {
    details: { name: CONFIG_NAME, group: meshGroup, kind: 'MeshConfig', causes },
  })
}

/** Operations as one merge patch. An empty object in `remove` stands for all fields in it, which null removes. */
const mergeOfOperations = (operations: readonly ConfigOperation[]): Json =>
  operations.reduce<Json>((merge, { op, field }) => united(merge, op === 'remove' ? emptied(field) : field), {})

function emptied(value: Json): Json {
  if (!isObject(value)) return value
  const members = Object.entries(value)
  return members.length === 0
    ? null
    : Object.fromEntries(members.map(([name, inner]) => [name, emptied(inner ?? null)]))
}

function united(left: Json | undefined, right: Json): Json {
  if (!isObject(left) || !isObject(right)) return right
  return {
    ...left,
    ...Object.fromEntries(Object.entries(right).map(([name, value]) => [name, united(left[name], value ?? null)])),
  }
}
