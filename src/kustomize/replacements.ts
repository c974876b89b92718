/** `replacements`: values copied from one object to others. Source: kustomize, api/filters/replacement. */
import { isObject, type Json } from '../json/member.ts'
import { tokenIndex } from '../json/pointer.ts'
import { compileLinear } from '../text/linear.ts'
import { resolvePlain } from '../yaml/parse/scalar.ts'
import { rejectLargeCopy } from './bounds.ts'
import type { BuildContext } from './context.ts'
import { attempt, BuildFailure, refused, withoutCertainty } from './failure.ts'
import { type Kustomization, listIn } from './kustomization.ts'
import { readFirst } from './read.ts'
import {
  currentId,
  type Id,
  isSameNamespace,
  isSelected,
  previousIds,
  type Resource,
  touchedBy,
  withRoot,
} from './resource.ts'
import { checkShape, REPLACEMENT_IN_FILE } from './schema.ts'
import { matchesLabels, readSelector, type Selector } from './select.ts'
import {
  isList,
  isScalar,
  itemsOf,
  madeAt,
  memberOf,
  namesOf,
  type Place,
  stringAt,
  type TextFile,
  type Traced,
  withItems,
  withMember,
  withMembers,
} from './traced.ts'

/** Applies `replacements`, inline and in files. */
export function applyReplacements(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  let replaced = resources
  for (const entry of listIn(kustomization, 'replacements')) {
    const { source, written } = readReplacements(entry, kustomization, context)
    for (const replacement of written)
      attempt(
        () => {
          replaced = applyReplacement(replaced, replacement, source, context)
        },
        () => replaced,
      )
  }
  return replaced
}

/** The replacements of an entry: its own, or those of a file. */
function readReplacements(entry: Traced, kustomization: Kustomization, context: BuildContext) {
  const path = memberOf(entry, 'path')
  if (!path?.value) return { source: kustomization.source, written: [entry] }
  if (isGiven(entry, 'source') || isGiven(entry, 'targets'))
    throw refused('replacement', entry.at, 'a replacement has a path and is written here, too')
  const source = context.file(kustomization, String(path.value), path.at)
  const root = readFirst(source)
  if (!root || (!isList(root.value) && !isObject(root.value)))
    throw refused('replacement', root?.at ?? path.at, 'expected a replacement or a list of them')
  const written = itemsOf(root) ?? [root]
  for (const one of written) checkShape(one, REPLACEMENT_IN_FILE, 'ignored')
  return { source, written }
}

function isGiven(parent: Traced, name: string): boolean {
  const { value } = memberOf(parent, name) ?? { value: null }
  return value !== null && !(isList(value) && value.length === 0)
}

function applyReplacement(
  resources: readonly Resource[],
  replacement: Traced,
  source: TextFile,
  context: BuildContext,
): readonly Resource[] {
  const text = memberOf(replacement, 'sourceValue')
  const from = isGiven(replacement, 'source') ? memberOf(replacement, 'source') : undefined
  const targets = memberOf(replacement, 'targets')
  if (!targets || !isGiven(replacement, 'targets') || (!from && !text))
    throw refused('replacement', replacement.at, 'replacements need a source and at least one target')
  const value = from ? valueOfSource(resources, from, source, context) : text
  let replaced = resources
  for (const target of itemsOf(targets) ?? []) if (value) replaced = copyToTargets(replaced, value, target, source)
  return replaced
}

/** Finds the one object that a source names, and the value in it. */
function valueOfSource(
  resources: readonly Resource[],
  from: Traced,
  source: TextFile,
  { allowsMissing }: BuildContext,
): Traced {
  const named = idIn(from)
  const found = resources.filter((resource) => idsOf(resource).some((id) => isSelectedBy(id, named)))
  const [resource, other] = found
  const name = [named.kind, named.name].filter(Boolean).join(' ')
  if (!resource || other) {
    const reason = `the source of a replacement is ${other ? 'several objects' : 'no object'}: ${name}`
    const isKnown = (other || !allowsMissing) && resources.every(({ isIdentified }) => isIdentified)
    throw isKnown ? refused('replacement', from.at, reason) : new BuildFailure(source.file, reason)
  }
  return refined(fieldOf(resource, from, { name, source }), memberOf(from, 'options'), source)
}

type Naming = { readonly name: string; readonly source: TextFile }

/** The field of its source that a replacement copies. */
function fieldOf(resource: Resource, from: Traced, { name, source }: Naming): Traced {
  const path = stringAt(from, 'fieldPath') || 'metadata.name'
  if (!resource.isExact && !path.startsWith('metadata.'))
    throw new BuildFailure(
      source.file,
      `the source of a replacement is a ${stringAt(from, 'kind') ?? 'kind'} that is not followed`,
    )
  let field: Traced | undefined = resource.root
  for (const token of splitPath(path)) field = field && lookUp(field, token)
  if (!field || isEmpty(field.value)) {
    const reason = `${path} is not in the source ${name}`
    if (!resource.isExact) throw new BuildFailure(source.file, reason)
    throw refused('replacement', (memberOf(from, 'fieldPath') ?? from).at, reason)
  }
  return field
}

const isEmpty = (value: Json): boolean =>
  value === null || (isList(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0)

function refined(value: Traced, options: Traced | undefined, source: TextFile): Traced {
  const { delimiter, index } = readOptions(options)
  if (delimiter === '') return value
  const part = scalarText(value, source).split(delimiter)[index]
  if (part === undefined)
    throw refused('replacement', options?.at ?? value.at, `options.index ${index} is not in the source`)
  return { ...value, value: part }
}

type Options = { readonly delimiter: string; readonly index: number; readonly create: boolean }

function readOptions(options: Traced | undefined): Options {
  const index = options && memberOf(options, 'index')?.value
  return {
    delimiter: (options && stringAt(options, 'delimiter')) ?? '',
    index: typeof index === 'number' ? index : 0,
    create: options !== undefined && memberOf(options, 'create')?.value === true,
  }
}

function copyToTargets(
  resources: readonly Resource[],
  value: Traced,
  target: Traced,
  source: TextFile,
): readonly Resource[] {
  const select = memberOf(target, 'select')
  if (!select || select.value === null)
    throw refused('replacement', target.at, 'a target of a replacement needs "select"')
  const selector = readSelector(select)
  const rejected = itemsIn(target, 'reject').map((item) => readSelector(item))
  const options = readOptions(memberOf(target, 'options'))
  const paths = itemsIn(target, 'fieldPaths').map(({ value: path, at }) => ({ path: String(path), at }))
  return resources.map((resource) => {
    const ids = idsOf(resource)
    const isTarget =
      ids.some((id) => isSelectedBy(id, selector)) &&
      matchesLabels(resource, selector) &&
      !rejected.some((reject) => rejects(resource, ids, reject))
    if (!isTarget) return resource
    let { root } = resource
    const copy = ({ path, at }: { path: string; at: Place }): Traced =>
      copyTo(root, splitPath(path), { value, options, source, path, at })
    for (const path of paths.length > 0 ? paths : [{ path: 'metadata.name', at: target.at }])
      root = resource.isExact ? copy(path) : withoutCertainty(() => copy(path))
    const changed = touchedBy(withRoot(resource, root), source, value.at.part.source)
    return options.create ? { ...changed, hasUntyped: true } : changed
  })
}

const itemsIn = (parent: Traced, name: string): readonly Traced[] => {
  const member = memberOf(parent, name)
  return (member && itemsOf(member)) ?? []
}

const idsOf = (resource: Resource): readonly Id[] => [currentId(resource), ...previousIds(resource)]

type NamedId = Partial<Id>

function idIn(written: Traced): NamedId {
  const names = ['group', 'version', 'kind', 'name', 'namespace'] as const
  return Object.fromEntries(names.map((name) => [name, stringAt(written, name) ?? '']))
}

const isSelectedBy = (id: Id, selector: NamedId): boolean =>
  (!selector.name || selector.name === id.name) &&
  (!selector.namespace || isSameNamespace({ ...id, namespace: selector.namespace }, id)) &&
  isSelected(id, selector)

function rejects(resource: Resource, ids: readonly Id[], reject: Selector): boolean {
  const { labels: _, annotations: __, at: ___, ...id } = reject
  const isNamed = Object.keys(id).length > 0
  return isNamed ? ids.some((own) => isSelectedBy(own, id)) : matchesLabels(resource, reject)
}

type Copying = {
  readonly value: Traced
  readonly options: Options
  readonly source: TextFile
  readonly path: string
  /** Where the path is written. */
  readonly at: Place
}

/** Sets every field that a path leads to. Throws {@link BuildFailure} where it leads nowhere. */
function copyTo(root: Traced, tokens: readonly string[], copying: Copying): Traced {
  rejectLargeCopy(copying.value.value, tokens, copying.source.file)
  const { root: changed, count } = setAt(root, tokens, copying)
  if (count === 0) {
    const reason = `no field "${copying.path}" in the target of a replacement`
    throw copying.options.create
      ? new BuildFailure(copying.source.file, reason)
      : refused('replacement', copying.at, reason)
  }
  return changed
}

type Changed = { readonly root: Traced; readonly count: number }

function setAt(at: Traced, [token, ...rest]: readonly string[], copying: Copying): Changed {
  if (token === undefined) return { root: setValue(at, copying), count: 1 }
  const items = itemsOf(at)
  if (items) return setInItems(at, items, [token, ...rest], copying)
  if (token === '*' && isObject(at.value)) return setInAll(at, rest, copying)
  if (at.value !== null && !isObject(at.value)) return { root: at, count: 0 }
  const { create } = copying.options
  const member = memberOf(at, token)
  if (member === undefined && !create) return { root: at, count: 0 }
  const found = member ?? { ...madeAt(kindFor(rest[0], copying.value.value), copying.value.at), isNew: true }
  if (member === undefined && rest.length === 0) return { root: withMember(at, token, createdValue(copying)), count: 1 }
  const changed = setAt(found, rest, copying)
  return { root: withMember(at, token, changed.root), count: changed.count }
}

/** What is created on the way to a field. */
function kindFor(next: string | undefined, value: Json): Json {
  if (next === undefined) return isScalar(value) ? '' : isList(value) ? [] : {}
  return isListToken(next) ? [] : {}
}

const isListToken = (token: string): boolean => tokenIndex(token) !== undefined || token === '-' || MATCH.test(token)

/** A created scalar has no type of its own: its text decides. */
function createdValue({ value, source }: Copying): Traced {
  return isScalar(value.value) ? untypedValue(value, scalarText(value, source)) : value
}

const untypedValue = (value: Traced, text: string): Traced => ({
  ...value,
  value: plainValue(text),
  style: 'plain',
  untyped: text,
})

function setInAll(at: Traced, rest: readonly string[], copying: Copying): Changed {
  const members = new Map<string, Traced>()
  let count = 0
  for (const name of namesOf(at)) {
    const member = memberOf(at, name)
    const changed = member && setAt(member, rest, copying)
    if (!changed) continue
    members.set(name, changed.root)
    count += changed.count
  }
  return { root: withMembers(at, members), count }
}

/** `[name=value]`; the value is a regular expression that may match anywhere. */
const MATCH = /^\[(?<name>[^=]*)=(?<value>.*)\]$/

function setInItems(
  list: Traced,
  items: readonly Traced[],
  [token = '', ...rest]: readonly string[],
  copying: Copying,
): Changed {
  const index = tokenIndex(token)
  const match = MATCH.exec(token)?.groups
  const expression = match ? compileLinear(match.value ?? '') : undefined
  if (match && !expression)
    throw new BuildFailure(copying.source.file, `"${match.value}" in ${copying.path} is not a regular expression of Go`)
  const isChosen = (item: Traced, at: number): boolean => {
    if (token === '*') return true
    if (index !== undefined) return at === index
    if (!match || !expression) return false
    const field = match.name === '' ? item : memberOf(item, match.name ?? '')
    return field !== undefined && isScalar(field.value) && expression.test(String(field.value))
  }
  if (index === items.length && copying.options.create) {
    const added =
      rest.length === 0
        ? createdValue(copying)
        : setAt(madeAt(kindFor(rest[0], ''), copying.value.at), rest, copying).root
    return { root: withItems(list, [...items, added]), count: 1 }
  }
  const chosen = items.map((item, at) => (isChosen(item, at) ? setAt(item, rest, copying) : undefined))
  const count = chosen.reduce((sum, changed) => sum + (changed?.count ?? 0), 0)
  if (count === 0 && copying.options.create)
    throw new BuildFailure(copying.source.file, `"${copying.path}" would be created, which is not followed`)
  return {
    root: withItems(
      list,
      items.map((item, at) => chosen[at]?.root ?? item),
    ),
    count,
  }
}

/** The value of a target. A scalar keeps its type: only the text is copied. */
function setValue(field: Traced, { value, options, source }: Copying): Traced {
  const { delimiter, index } = options
  if (delimiter !== '') {
    const parts = scalarText(field, source).split(delimiter)
    const text = scalarText(value, source)
    if (index < 0) parts.unshift(text)
    else if (index >= parts.length) parts.push(text)
    else parts[index] = text
    return retyped(field, parts.join(delimiter), { ...value, value: parts.join(delimiter) }, source)
  }
  if (!isScalar(field.value)) return value
  if (!isScalar(value.value)) throw new BuildFailure(source.file, 'a scalar is replaced by a list or a mapping')
  return retyped(field, scalarText(value, source), value, source)
}

function retyped(field: Traced, text: string, value: Traced, source: TextFile): Traced {
  if (field.untyped !== undefined) return untypedValue(value, text)
  if (field.isRequoted) throw new BuildFailure(source.file, `the type of a value that becomes "${text}" is not known`)
  const style = field.style ?? field.at
  if (typeof field.value === 'string') return { ...value, value: text, style }
  const plain = plainValue(text)
  if (typeof plain === typeof field.value && plain !== null) return { ...value, value: plain, style }
  throw new BuildFailure(source.file, `a ${typeof field.value} is replaced by "${text}"`)
}

function plainValue(text: string): Json {
  const value = resolvePlain(text)
  return typeof value === 'boolean' && !/^(?:true|false)$/i.test(text) ? text : value
}

function scalarText({ value }: Traced, { file }: TextFile): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean' || Number.isInteger(value)) return String(value)
  throw new BuildFailure(file, 'the text of a value in a replacement is not known')
}

function lookUp(at: Traced, token: string): Traced | undefined {
  const items = itemsOf(at)
  if (!items) return memberOf(at, token)
  const index = tokenIndex(token)
  if (index !== undefined) return items[index]
  if (token === '-') return items.at(-1)
  const match = MATCH.exec(token)?.groups
  return items.find((item) => {
    const field = match?.name === '' ? item : memberOf(item, match?.name ?? '')
    return match !== undefined && field !== undefined && String(field.value) === match.value
  })
}

/** Splits `a.b.[name=c.d].e` at its dots; `\.` and dots in brackets are part of a name. */
function splitPath(path: string): readonly string[] {
  const pieces: string[] = []
  for (const piece of path.split('.')) {
    const last = pieces.at(-1)
    if (last?.endsWith('\\')) pieces[pieces.length - 1] = `${last.slice(0, -1)}.${piece}`
    else if (last?.startsWith('[') && !last.endsWith(']')) pieces[pieces.length - 1] = `${last}.${piece}`
    else pieces.push(piece)
  }
  return pieces.map((piece) =>
    piece.startsWith('[') && piece.endsWith(']') && !piece.includes('=') ? piece.slice(1, -1) : piece,
  )
}
