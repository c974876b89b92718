/** ConfigMaps and Secrets that a kustomization generates, as far as others can copy values from them. */
import type { Json } from '../json/member.ts'
import { type Collection, createCollection } from './collection.ts'
import type { BuildContext } from './context.ts'
import { attempt, refused } from './failure.ts'
import { type Kustomization, listIn } from './kustomization.ts'
import { createResource, currentId, type Resource } from './resource.ts'
import { itemsOf, madeAt, memberOf, type Place, stringAt, type Traced, withMember, withMembers } from './traced.ts'

const GENERATORS = [
  ['configMapGenerator', 'ConfigMap'],
  ['secretGenerator', 'Secret'],
] as const

/** The resources with those that generators make or change. */
export function applyGenerators(
  resources: readonly Resource[],
  kustomization: Kustomization,
  context: BuildContext,
): readonly Resource[] {
  const entries = GENERATORS.flatMap(([member, kind]) =>
    listIn(kustomization, member).map((entry) => [kind, entry] as const),
  )
  if (entries.length === 0) return resources
  const all = createCollection(resources)
  for (const [kind, entry] of entries) attempt(() => generate(all, entry, { kind, kustomization, context }), all.all)
  return all.all()
}

type Generating = {
  readonly kind: string
  readonly kustomization: Kustomization
  readonly context: BuildContext
}

function generate(all: Collection, entry: Traced, { kind, kustomization, context }: Generating): void {
  const name = stringAt(entry, 'name') ?? ''
  if (name === '') throw refused('generator', entry.at, `a generator of a ${kind} without a name`)
  rejectBrokenData(entry, kustomization, context)
  const namespace = stringAt(entry, 'namespace')
  const metadata: Json = { name, ...(namespace ? { namespace } : {}) }
  const data = dataOf(kind === 'ConfigMap' ? itemsIn(entry, 'literals') : [], entry.at)
  const root = withMember(madeAt({ apiVersion: 'v1', kind, metadata }, entry.at), 'data', data)
  const isExact = kind === 'ConfigMap' && !['files', 'envs', 'env'].some((member) => memberOf(entry, member))
  const made: Resource = { ...createResource(root, [kustomization.source]), isExact, isGenerated: true }
  const [old, other] = all.find(currentId(made))
  const behavior = memberOf(entry, 'behavior')
  const isChange = behavior?.value === 'merge' || behavior?.value === 'replace'
  const isKnown = !context.allowsMissing && all.all().every(({ isIdentified }) => isIdentified)
  if (other) throw refused('generator', entry.at, `several objects are the ${kind} ${name}`)
  if (!old && isChange && isKnown)
    throw refused('generator', behavior.at, `${kind} ${name} does not exist: nothing to ${behavior.value}`)
  if (old && !isChange && old.isIdentified)
    throw refused('generator', entry.at, `${kind} ${name} exists already: merge or replace it`)
  if (old) all.replace(old, { ...old, isExact: false, isGenerated: true })
  else all.add(made)
}

const itemsIn = (entry: Traced, name: string): readonly Traced[] => {
  const member = memberOf(entry, name)
  return (member && itemsOf(member)) ?? []
}

/** Throws {@link BuildFailure} for data that kustomize cannot read. */
function rejectBrokenData(entry: Traced, kustomization: Kustomization, context: BuildContext): void {
  const known = new Set<string>()
  const rejectAgain = (key: string, at: Place): void => {
    if (known.has(key)) throw refused('generator', at, `the key "${key}" is given twice`)
    known.add(key)
  }
  const single = memberOf(entry, 'env')
  for (const { value, at } of [...itemsIn(entry, 'envs'), ...(single?.value ? [single] : [])])
    for (const key of keysIn(context.data(kustomization, String(value ?? ''), at) ?? '')) rejectAgain(key, at)
  for (const literal of itemsIn(entry, 'literals')) rejectAgain(keyOfLiteral(literal), literal.at)
  for (const file of itemsIn(entry, 'files')) {
    const { key, path } = keyedPath(file)
    context.data(kustomization, path, file.at)
    rejectAgain(key, file.at)
  }
}

function keyOfLiteral({ value, at }: Traced): string {
  const [, key] = /^([^=]+)=/.exec(String(value ?? '')) ?? []
  if (key === undefined) throw refused('generator', at, `expected KEY=value, found ${JSON.stringify(value)}`)
  return key
}

function keyedPath({ value, at }: Traced): { readonly key: string; readonly path: string } {
  const [, key, path] = /^(?:([^=]+)=)?([^=]+)$/.exec(String(value ?? '')) ?? []
  if (path === undefined) throw refused('generator', at, `expected KEY=path or a path, found ${JSON.stringify(value)}`)
  return { key: key ?? path.split('/').findLast((name) => name !== '') ?? path, path }
}

/** The keys of a file of `KEY=value` lines. */
const keysIn = (text: string): readonly string[] =>
  text.split(/\r?\n/).flatMap((line) => /^\s*([^#=\s][^=]*)/.exec(line)?.[1] ?? [])

/** `KEY=value`; quotes around the value do not belong to it. */
function dataOf(literals: readonly Traced[], at: Place): Traced {
  const data = new Map<string, Traced>()
  for (const literal of literals) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(String(literal.value)) ?? []
    data.set(key, { ...literal, value: /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text })
  }
  return withMembers(madeAt({}, at), data)
}
