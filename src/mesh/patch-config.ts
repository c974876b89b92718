/**
 * Patches of the mesh's configuration. Operations apply in their order and are checked at the end: all of them are
 * applied, or none.
 *
 * - `add`: a list gets the values that it lacks, at its end; anything else is set
 * - `replace`: sets a list or anything else; an empty list clears
 * - `remove`: a list loses these values, or all of them where the list is empty; anything else gets the value of a new
 *   mesh, and an empty object stands for all fields in it
 */
import { isObject, type Json, type JsonObject } from '../json/member.ts'
import { escapeToken, fieldPath } from '../json/pointer.ts'
import { isSameValue } from '../json/same.ts'
import type { ApiNames } from '../kubernetes/api-groups.ts'
import { nearest } from '../text/nearest.ts'
import { type ConfigShape, configShape, expected, jsonAt, typeFaults, unknownField, withValue } from './config.ts'
import { COPIES, type ConfigField } from './config-fields.ts'
import { CONTRADICTIONS, type ConfigOperation, type Contradiction } from './contradictions.ts'
import { MEANINGS } from './meanings.ts'

/** Why an operation is refused. */
export type OperationError = {
  /** Index of the operation, from 0; that of a body without operations is 0. */
  readonly index: number
  /** `injection.enabledNamespaces[2]`; `op` or `field` for a member of the operation, empty for the operation as a whole. */
  readonly field: string
  readonly reason: string
  /** Operations that, sent before, make way for this one; none where there are no such operations. */
  readonly first?: readonly ConfigOperation[]
}

/** The whole configuration after a patch, or why it stays as it is. */
export type PatchedConfig = { readonly document: JsonObject } | { readonly errors: readonly OperationError[] }

/** Applies the body of a PATCH, one operation or a list of them, to a configuration, which stays as it is. Never throws. */
export function patchConfig(document: JsonObject, body: Json, names: ApiNames): PatchedConfig {
  const shape = configShape(names)
  const outcome = applyOperations(document, body, shape)
  if ('errors' in outcome) return outcome
  const now = new Set(outcome.broken.map(({ contradiction }) => contradiction))
  const broken = outcome.broken.map(({ index, contradiction }): OperationError => {
    const { pointer, reason, remedies } = contradiction
    const known = typeof remedies === 'function' ? remedies(readerOf(outcome.document)) : remedies
    const first = known.find((remedy) => helps(remedy, { document, body, shape, contradiction, now }))
    return { index, field: fieldPath(pointer), reason, ...(first ? { first } : {}) }
  })
  return broken.length > 0 ? { errors: broken } : { document: outcome.document }
}

/** One line for people: `operation 0, mtls.mode: expected one of …`. */
export function describeOperationError({ index, field, reason, first }: OperationError): string {
  const remedy = first ? `; first send ${JSON.stringify(first.length === 1 ? first[0] : first)}` : ''
  return `operation ${index}${field === '' ? '' : `, ${field}`}: ${reason}${remedy}`
}

type Tried = {
  readonly document: JsonObject
  readonly body: Json
  readonly shape: ConfigShape
  readonly contradiction: Contradiction
  /** All that the body runs into now. */
  readonly now: ReadonlySet<Contradiction>
}

/**
 * True where operations are accepted by themselves, and the body after them runs into no other contradiction than those
 * that it runs into now, nor into this one.
 */
function helps(remedy: readonly ConfigOperation[], { document, body, shape, contradiction, now }: Tried): boolean {
  const before = applyOperations(document, remedy, shape)
  if ('errors' in before || before.broken.length > 0) return false
  const after = applyOperations(before.document, body, shape)
  if ('errors' in after) return false
  return after.broken.every((one) => one.contradiction !== contradiction && now.has(one.contradiction))
}

/** Contradictions in the result, with the operation that last changed a field of theirs. */
type Broken = { readonly index: number; readonly contradiction: Contradiction }

/** A patch in the making: fields that it has changed, and by which operation. */
type Draft = {
  readonly document: JsonObject
  readonly shape: ConfigShape
  readonly changed: Map<string, Json | Set<string> | undefined>
  readonly changedBy: Map<string, number>
  readonly errors: OperationError[]
}

function applyOperations(
  document: JsonObject,
  body: Json,
  shape: ConfigShape,
):
  | { readonly document: JsonObject; readonly broken: readonly Broken[] }
  | { readonly errors: readonly OperationError[] } {
  const operations: readonly Json[] = Array.isArray(body) ? body : [body]
  const draft: Draft = { document, shape, changed: new Map(), changedBy: new Map(), errors: [] }
  if (operations.length === 0) draft.errors.push({ index: 0, field: '', reason: 'expected at least one operation' })
  for (const [index, operation] of operations.entries()) applyOperation(draft, index, operation)
  if (draft.errors.length > 0) return { errors: draft.errors }
  let patched = document
  for (const [pointer, value] of draft.changed) {
    const plain = value instanceof Set ? [...value] : value
    for (const place of [pointer, ...copiesOf(pointer)]) patched = withValue(patched, place, plain)
  }
  const read = readerOf(patched)
  const broken = ALL.flatMap((contradiction): readonly Broken[] => {
    // What an earlier version has stored is no reason to refuse a patch that has nothing to do with it.
    const index = Math.max(...contradiction.dependsOn.map((pointer) => draft.changedBy.get(pointer) ?? -1))
    return index >= 0 && contradiction.holds(read) ? [{ index, contradiction }] : []
  })
  return { document: patched, broken }
}

const ALL: readonly Contradiction[] = [...CONTRADICTIONS, ...MEANINGS]

const readerOf = (config: JsonObject) => (pointer: string) => jsonAt(config, pointer)

const copiesOf = (pointer: string): readonly string[] =>
  [...COPIES].flatMap(([copy, original]) => (original === pointer ? [copy] : []))

const OPS = ['add', 'remove', 'replace'] as const
type Op = (typeof OPS)[number]

function applyOperation(draft: Draft, index: number, operation: Json): void {
  const refuse = (field: string, reason: string): void => {
    draft.errors.push({ index, field, reason })
  }
  if (!isObject(operation)) {
    refuse('', expected('an operation {"op": …, "field": {…}}', operation))
    return
  }
  const { op, field, ...others } = operation
  for (const name of Object.keys(others)) refuse(name, 'unknown member; an operation has op and field')
  const known = OPS.find((one) => one === op)
  if (op === undefined) refuse('op', `is missing; expected one of ${OPS.join(', ')}`)
  else if (!known) refuse('op', unknownOp(op))
  if (field === undefined) refuse('field', 'is missing; expected an object with the fields to change')
  else if (!isObject(field)) refuse('field', expected('an object', field))
  else if (Object.keys(field).length === 0) refuse('field', 'names no field to change')
  else if (known) applyFields(draft, { index, op: known, written: new Map() }, { parent: '', fields: field })
}

function unknownOp(op: Json): string {
  const meant = typeof op === 'string' ? nearest(op.toLowerCase(), OPS) : undefined
  return expected(`one of ${OPS.join(', ')}`, op) + (meant === undefined ? '' : `; did you mean "${meant}"?`)
}

/** An operation, with the fields that it has changed so far, by the pointer that counts. */
type Running = { readonly index: number; readonly op: Op; readonly written: Map<string, Json> }

function applyFields(draft: Draft, running: Running, { parent, fields }: { parent: string; fields: JsonObject }): void {
  for (const [name, value] of Object.entries(fields)) {
    const pointer = `${parent}/${escapeToken(name)}`
    const { shape } = draft
    const own = shape.fields.get(pointer)
    const below = own ? [own] : [...shape.fields.values()].filter((one) => one.pointer.startsWith(`${pointer}/`))
    const problem =
      below.length === 0
        ? unknownField(shape, parent, name, fields)
        : below.some(({ isPatchable }) => isPatchable)
          ? undefined
          : 'is set when the mesh is installed, and cannot be changed'
    if (problem !== undefined) draft.errors.push({ index: running.index, field: fieldPath(pointer), reason: problem })
    else if (own && value !== undefined) applyField(draft, running, { field: own, value })
    else if (value !== undefined) applyObject(draft, running, { pointer, value, below })
  }
}

/** The value of an object of fields; `below` are all fields in it. */
type ObjectValue = { readonly pointer: string; readonly value: Json; readonly below: readonly ConfigField[] }

function applyObject(draft: Draft, running: Running, { pointer, value, below }: ObjectValue): void {
  const { index, op } = running
  const refuse = (reason: string) => draft.errors.push({ index, field: fieldPath(pointer), reason })
  if (!isObject(value)) refuse(expected('an object', value))
  else if (Object.keys(value).length > 0) applyFields(draft, running, { parent: pointer, fields: value })
  else if (op !== 'remove') refuse('names no field to change')
  else
    for (const field of below) {
      const initial = field.type.isList ? new Set(strings(field.initial)) : field.initial
      change(draft, running, { field, value: initial })
    }
}

function applyField(draft: Draft, running: Running, { field, value }: { field: ConfigField; value: Json }): void {
  const { index, op, written } = running
  const original = COPIES.get(field.pointer) ?? field.pointer
  const isReset = op === 'remove' && !field.type.isList
  const faults = isReset && value === null ? [] : typeFaults(field, value)
  draft.errors.push(...faults.map(({ field: place, reason }) => ({ index, field: place, reason })))
  const other = written.get(original)
  if (other !== undefined && !isSameValue(other, value))
    draft.errors.push({ index, field: fieldPath(field.pointer), reason: 'is named twice with different values' })
  written.set(original, value)
  if (faults.length > 0) return
  if (!field.type.isList) change(draft, running, { field, value: isReset ? field.initial : value })
  else change(draft, running, { field, value: changedList(draft, op, original, strings(value)) })
}

const strings = (value: Json | undefined): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** A list after an operation. Lists of a draft are sets, which keep their order, so that long patches stay linear. */
function changedList(draft: Draft, op: Op, pointer: string, values: readonly string[]): Set<string> {
  const drafted = draft.changed.get(pointer)
  if (op === 'replace' || (op === 'remove' && values.length === 0)) return new Set(op === 'replace' ? values : [])
  const list = drafted instanceof Set ? drafted : new Set(strings(jsonAt(draft.document, pointer)))
  for (const value of values)
    if (op === 'add') list.add(value)
    else list.delete(value)
  return list
}

function change(
  { changed, changedBy }: Draft,
  { index }: Running,
  { field, value }: { field: ConfigField; value: Json | Set<string> | undefined },
): void {
  const pointer = COPIES.get(field.pointer) ?? field.pointer
  changed.set(pointer, value)
  changedBy.set(pointer, index)
}
