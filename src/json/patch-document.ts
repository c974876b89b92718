/**
 * Patches that clients send: JSON Merge Patch (RFC 7396) and JSON Patch (RFC 6902). What is patched stays as it is. For fixes of
 * rules, which are right, there is patch.ts. fast-json-patch takes indexes such as 01, and removes members that an object
 * inherits without a word; here an error also names its place in the patch, and copies are bounded.
 */
import { nearestInAnyCase } from '../text/nearest.ts'
import { counted } from '../text/plural.ts'
import { isObject, type Json, type JsonObject, setMember } from './member.ts'
import { pointerTokens, tokenIndex } from './pointer.ts'
import { isSameValue } from './same.ts'

/** A merge patch applied: members of null are removed, objects are merged, all else is replaced. */
export function mergePatch(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch
  const merged: Record<string, Json | undefined> = isObject(target) ? { ...target } : {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete merged[name]
    else if (value !== undefined) setMember(merged, name, mergePatch(ownMember(merged, name), value))
  }
  return merged
}

const ownMember = (object: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined

/** `malformed`: it is no JSON Patch; `conflict`: what is there is not as it expects; `large`: it copies too much. */
type Reason = 'malformed' | 'conflict' | 'large'

/** A JSON Patch that cannot be applied. The message is for the client. */
export class PatchError extends Error {
  readonly reason: Reason
  /** JSON Pointer into the patch. */
  readonly pointer: string
  readonly remedy: string
  constructor(reason: Reason, pointer: string, [message, remedy]: readonly [message: string, remedy: string]) {
    super(message)
    this.name = 'PatchError'
    this.reason = reason
    this.pointer = pointer
    this.remedy = remedy
  }
}

const OPS = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

/** One operation. */
export type PatchStep = {
  readonly op: (typeof OPS)[number]
  readonly path: string
  /** Of `move` and `copy`; else empty. */
  readonly from: string
  /** Of `add`, `replace` and `test`; else null. */
  readonly value: Json
}

/** Operations of one patch, and the characters of all that it copies, as JSON: copies of copies grow without a bound. */
const MOST_STEPS = 1_000
const MOST_COPIED = 1024 * 1024

/** Reads a JSON Patch. Throws {@link PatchError}. */
export function readJsonPatch(sent: unknown): readonly PatchStep[] {
  if (!Array.isArray(sent))
    throw new PatchError('malformed', '', ['a JSON Patch is a list of operations', `Send [${EXAMPLE}].`])
  if (sent.length > MOST_STEPS)
    throw new PatchError('malformed', '', [`it has more than ${MOST_STEPS} operations`, 'Send several patches.'])
  return sent.map(readStep)
}

const EXAMPLE = '{"op": "replace", "path": "/version", "value": "v2"}'

function readStep(sent: unknown, index: number): PatchStep {
  const at = `/${index}`
  if (!isObject(sent)) throw new PatchError('malformed', at, ['an operation must be an object', `Write ${EXAMPLE}.`])
  const op = readOp(sent.op, `${at}/op`)
  const path = readPointer(sent, `${at}/path`)
  const from = op === 'move' || op === 'copy' ? readPointer(sent, `${at}/from`) : ''
  if (op === 'move' && path.startsWith(`${from}/`))
    throw new PatchError('malformed', `${at}/path`, ['a value cannot be moved into itself', 'Choose another path.'])
  if ((op === 'add' || op === 'replace' || op === 'test') && sent.value === undefined)
    throw new PatchError('malformed', `${at}/value`, ['value is missing', 'Add "value".'])
  return { op, path, from, value: sent.value ?? null }
}

function readOp(sent: Json | undefined, place: string): PatchStep['op'] {
  const op = OPS.find((one) => one === sent)
  if (op) return op
  const meant = typeof sent === 'string' ? nearestInAnyCase(sent.slice(0, 100), OPS) : undefined
  const message = sent === undefined ? 'op is missing' : 'there is no such operation'
  const remedy = meant === undefined ? `Write one of ${OPS.join(', ')}.` : `Write "${meant}".`
  throw new PatchError('malformed', place, [message, remedy])
}

/** A pointer of an operation, by the name at the end of its place. */
function readPointer(step: JsonObject, place: string): string {
  const name = place.slice(place.lastIndexOf('/') + 1)
  const value = step[name]
  if (typeof value === 'string' && /^(?:\/(?:[^~/]|~[01])*)*$/.test(value)) return value
  const message = value === undefined ? `${name} is missing` : `${name} is not a JSON Pointer`
  throw new PatchError('malformed', place, [
    message,
    'Write a JSON Pointer (RFC 6901) such as "/proxyConfig/hostname".',
  ])
}

/** A value whose parts may be changed. */
type Mutable = null | boolean | number | string | Mutable[] | MutableObject
type MutableObject = { [member: string]: Mutable }

/**
 * A JSON Patch applied, all of it or nothing. `onCopy` is called for each object of the target with the one that stands for it
 * in the result. Throws {@link PatchError}.
 */
export function applyJsonPatch(
  target: Json,
  steps: readonly PatchStep[],
  onCopy: (from: object, to: object) => void = () => {},
): Json {
  const root: { value: Mutable } = { value: cloned(target, onCopy) }
  let copied = 0
  const copyOf = (value: Mutable, at: string): Mutable => {
    copied += JSON.stringify(value).length
    if (copied <= MOST_COPIED) return cloned(value, onCopy)
    throw new PatchError('large', at, [`the patch copies more than ${MOST_COPIED} characters`, 'Copy less.'])
  }
  for (const [index, step] of steps.entries()) {
    const { op, path, from, value } = step
    const at = `/${index}`
    if (op === 'test') testAt(root, step, at)
    else if (op === 'add') put(root, { path, place: `${at}/path` }, cloned(value))
    else if (op === 'replace') replace(root, { path, place: `${at}/path` }, cloned(value))
    else if (op === 'remove') take(root, { path, place: `${at}/path` })
    else if (op === 'move') put(root, { path, place: `${at}/path` }, take(root, { path: from, place: `${at}/from` }))
    else put(root, { path, place: `${at}/path` }, copyOf(find(root, { path: from, place: `${at}/from` }), at))
  }
  return root.value
}

function cloned(value: Json, onCopy: (from: object, to: object) => void = () => {}): Mutable {
  if (Array.isArray(value)) {
    const list: Mutable[] = []
    onCopy(value, list)
    for (const item of value) list.push(cloned(item, onCopy))
    return list
  }
  if (!isObject(value)) return isScalar(value) ? value : null
  const copy: MutableObject = {}
  onCopy(value, copy)
  for (const [name, member] of Object.entries(value))
    if (member !== undefined) setMember(copy, name, cloned(member, onCopy))
  return copy
}

const isScalar = (value: Json): value is null | boolean | number | string => typeof value !== 'object' || value === null

type Root = { value: Mutable }

/** A pointer into the target, and where in the patch it stands. */
type At = { readonly path: string; readonly place: string }

/** The value at a pointer. */
function find(root: Root, at: At): Mutable {
  let value = root.value
  for (const token of pointerTokens(at.path)) {
    const inner = innerOf(value, token)
    if (inner === undefined) throw nothingAt(at, value, token)
    value = inner
  }
  return value
}

function innerOf(value: Mutable, token: string): Mutable | undefined {
  if (Array.isArray(value)) return value[tokenIndex(token) ?? -1]
  return isParent(value) && Object.hasOwn(value, token) ? value[token] : undefined
}

const isParent = (value: Mutable): value is MutableObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Removes a value, and gives it. */
function take(root: Root, at: At): Mutable {
  const value = find(root, at)
  const [parent, token] = parentOf(root, at)
  if (token === undefined) root.value = null
  else if (Array.isArray(parent)) parent.splice(Number(token), 1)
  else if (isParent(parent)) delete parent[token]
  return value
}

/** Puts a value in the place of another one. */
function replace(root: Root, at: At, value: Mutable): void {
  find(root, at)
  const [parent, token] = parentOf(root, at)
  if (token === undefined) root.value = value
  else if (Array.isArray(parent)) parent[Number(token)] = value
  else if (isParent(parent)) setMember(parent, token, value)
}

/** Adds a value: in a list before the index, in an object in the place of the member. */
function put(root: Root, at: At, value: Mutable): void {
  const [parent, token] = parentOf(root, at)
  if (token === undefined) root.value = value
  else if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : tokenIndex(token)
    if (index === undefined || index > parent.length) throw nothingAt(at, parent, token)
    parent.splice(index, 0, value)
  } else if (isParent(parent)) setMember(parent, token, value)
  else throw nothingAt(at, parent, token)
}

/** What is around a place, and its last token; undefined for the root. */
function parentOf(root: Root, at: At): readonly [Mutable, string | undefined] {
  const token = pointerTokens(at.path).at(-1)
  if (token === undefined) return [root.value, undefined]
  return [find(root, { ...at, path: at.path.slice(0, at.path.lastIndexOf('/')) }), token]
}

function nothingAt({ path, place }: At, parent: Mutable, token: string): PatchError {
  const names = isParent(parent) ? Object.keys(parent) : []
  const meant = nearestInAnyCase(token.slice(0, 100), names.slice(0, 1_000))
  const remedy =
    meant === undefined
      ? `Read it again: ${Array.isArray(parent) ? `the list has ${counted(parent.length, 'item')}` : 'the paths are those of what is read'}.`
      : `Did you mean "${meant}"?`
  return new PatchError('conflict', place, [`there is nothing at ${shown(path)}`, remedy])
}

function testAt(root: Root, { path, value }: PatchStep, at: string): void {
  const found = find(root, { path, place: `${at}/path` })
  if (isSameValue(value, found)) return
  const both = [found, value].every(isScalar)
  const is = both ? `is ${shown(JSON.stringify(found))}, not ${shown(JSON.stringify(value))}` : 'is another one'
  const remedy = 'Read it again, and make the patch for what is there now.'
  throw new PatchError('conflict', at, [`the test failed: the value at ${shown(path)} ${is}`, remedy])
}

const shown = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text || '""')
