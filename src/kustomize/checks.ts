/** What a build needs of members that change nothing that is judged: `vars`, `replicas`, `sortOptions`, `crds`, plugins. */
import { isObject } from '../json/member.ts'
import type { TransformerConfig } from './config.ts'
import type { BuildContext } from './context.ts'
import { type BuildFailure, refused } from './failure.ts'
import { type BuildFiles, missing, type Written } from './files.ts'
import { isRemote, joinPath, type Kustomization, listIn, stringsIn } from './kustomization.ts'
import { readFirst } from './read.ts'
import {
  currentId,
  effectiveNamespace,
  type Id,
  isClusterScoped,
  isSelected,
  previousIds,
  type Resource,
} from './resource.ts'
import { memberOf, type Place, stringAt, type Traced } from './traced.ts'

/** An entry of `vars`. */
export type Variable = {
  readonly name: string
  readonly at: Place
  readonly written: Traced
  /** True where there is certainly no object for it. */
  readonly isLost: boolean
}

type Known = { readonly resources: readonly Resource[]; readonly allowsMissing: boolean }

/** The variables of a kustomization. Throws {@link BuildFailure} for one that several objects may be meant by. */
export function readVariables(kustomization: Kustomization, { resources, allowsMissing }: Known): readonly Variable[] {
  const isKnown = !allowsMissing && resources.every(({ isIdentified }) => isIdentified)
  return listIn(kustomization, 'vars').map((written) => {
    const name = stringAt(written, 'name') ?? ''
    const [found, other] = resources.filter((resource) => isMeant(written, resource))
    if (found?.isIdentified && other?.isIdentified)
      throw refused('variable', written.at, `several objects may be meant by the variable "${name}"`)
    return { name, at: written.at, written, isLost: !found && isKnown }
  })
}

function isMeant(written: Traced, resource: Resource): boolean {
  const wanted = idOf(written)
  return [...previousIds(resource), currentId(resource)].some(
    (id) =>
      (['group', 'version', 'kind', 'name'] as const).every((member) => wanted[member] === id[member]) &&
      ((wanted.namespace === '' && !isClusterScoped(wanted)) || effectiveNamespace(wanted) === effectiveNamespace(id)),
  )
}

function idOf(written: Traced): Id {
  const text = (name: string) => stringAt(written, 'objref', name) ?? ''
  const parts = text('apiVersion') === '' ? [] : text('apiVersion').split('/')
  const [group, version] = parts.length === 2 ? parts : [text('group'), parts.length === 1 ? parts[0] : text('version')]
  return {
    group: group ?? '',
    version: version ?? '',
    kind: text('kind'),
    name: text('name'),
    namespace: text('namespace'),
  }
}

/** The variables whose name another one has already: one of those before, or of their own. */
export function sameVariables(before: readonly Variable[], own: readonly Variable[]): readonly BuildFailure[] {
  const names = new Set(before.map(({ name }) => name))
  return own.flatMap(({ name, at }) => {
    const isNew = !names.has(name)
    names.add(name)
    return isNew ? [] : [refused('variable', at, `the variable "${name}" is defined twice`)]
  })
}

const PLAIN_PATH = /^[\w-]+(?:\.[\w-]+)*$/

/** Throws {@link BuildFailure} for a variable without an object, or without its field there. */
export function checkVariable({ name, written, at, isLost }: Variable, resources: readonly Resource[]): void {
  if (isLost) throw refused('variable', at, `there is no object for the variable "${name}"`)
  const [found, other] = resources.filter((resource) => isMeant(written, resource))
  const path = stringAt(written, 'fieldref', 'fieldPath') || 'metadata.name'
  if (!found?.isExact || other || found.isGenerated || !PLAIN_PATH.test(path)) return
  let field: Traced | undefined = found.root
  for (const member of path.split('.')) field = field && memberOf(field, member)
  if (!field) throw refused('variable', at, `the object for the variable "${name}" has no field ${path}`)
}

/** Throws {@link BuildFailure} for `replicas` of an object that has none. */
export function checkReplicas(
  kustomization: Kustomization,
  { replicas: specs }: TransformerConfig,
  { resources, allowsMissing }: Known,
): void {
  if (allowsMissing || !resources.every(({ isIdentified }) => isIdentified)) return
  for (const entry of listIn(kustomization, 'replicas')) {
    const name = stringAt(entry, 'name') ?? ''
    const isFound = resources.some((resource) =>
      [...previousIds(resource), currentId(resource)].some(
        (id) => id.name === name && specs.some((spec) => isSelected(id, spec)),
      ),
    )
    const kinds = specs.map(({ kind }) => kind).join(', ')
    if (!isFound) throw refused('replicas', entry.at, `replicas are set of "${name}", and no ${kinds} has that name`)
  }
}

/** Throws {@link BuildFailure} for an order of objects that does not exist. */
export function checkOrder({ root }: Kustomization): void {
  const options = memberOf(root, 'sortOptions')
  if (!options || options.value === null) return
  const order = memberOf(options, 'order')
  if (order?.value !== 'fifo' && order?.value !== 'legacy')
    throw refused('value', (order ?? options).at, 'sortOptions.order must be fifo or legacy')
}

/** What is not followed, and names files. */
const PLUGINS: readonly string[] = ['generators', 'transformers', 'validators']

/** Throws {@link BuildFailure} where a file of what is not followed does not exist. */
export function checkPlugins(run: BuildFiles, kustomization: Kustomization): void {
  const { read, hasData } = run
  const { folder, root } = kustomization
  const openapi = memberOf(root, 'openapi')
  const schema = openapi && memberOf(openapi, 'path')
  const files = [...PLUGINS.flatMap((name) => stringsIn(kustomization, name)), ...stringsOf(schema)]
  for (const { text, at } of files) {
    const target = joinPath(folder, text)
    if (isRemote(text) || !/^[^{}\n]+\.(?:ya?ml|json)$/.test(text) || read(target) || hasData(target)) continue
    throw missing(run, folder, { text, at })
  }
}

const stringsOf = (written: Traced | undefined): readonly Written[] =>
  written && typeof written.value === 'string' && written.value !== '' ? [{ text: written.value, at: written.at }] : []

/** Throws {@link BuildFailure} for a file of `crds` that kustomize cannot read. */
export function checkDefinitions(kustomization: Kustomization, context: BuildContext): void {
  for (const { text, at } of stringsIn(kustomization, 'crds')) {
    const root = readFirst(context.file(kustomization, text, at))
    if (!root) throw refused('value', at, `"${text}" is empty`)
    if (!isObject(root.value)) throw refused('value', root.at, 'expected definitions by name')
  }
}
