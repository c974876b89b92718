/** ConfigMaps and Secrets that a kustomization generates, as far as others can copy values from them. */
import type { Json } from '../json/member.ts'
import { type Collection, createCollection } from './collection.ts'
import { BuildFailure } from './failure.ts'
import { type Kustomization, listIn } from './kustomization.ts'
import { createResource, currentId, type Resource } from './resource.ts'
import { itemsOf, madeAt, memberOf, type Place, stringAt, type Traced, withMember, withMembers } from './traced.ts'

const GENERATORS = [
  ['configMapGenerator', 'ConfigMap'],
  ['secretGenerator', 'Secret'],
] as const

/** The resources with those that generators make or change. */
export function applyGenerators(resources: readonly Resource[], kustomization: Kustomization): readonly Resource[] {
  const entries = GENERATORS.flatMap(([member, kind]) =>
    listIn(kustomization, member).map((entry) => [kind, entry] as const),
  )
  if (entries.length === 0) return resources
  const all = createCollection(resources)
  for (const [kind, entry] of entries) generate(all, entry, kind, kustomization)
  return all.all()
}

function generate(all: Collection, entry: Traced, kind: string, { source }: Kustomization): void {
  const name = stringAt(entry, 'name') ?? ''
  const namespace = stringAt(entry, 'namespace')
  const metadata: Json = { name, ...(namespace ? { namespace } : {}) }
  const literals = memberOf(entry, 'literals')
  const data = dataOf(kind === 'ConfigMap' && literals ? (itemsOf(literals) ?? []) : [], entry.at)
  const root = withMember(madeAt({ apiVersion: 'v1', kind, metadata }, entry.at), 'data', data)
  const isExact = kind === 'ConfigMap' && !['files', 'envs', 'env'].some((member) => memberOf(entry, member))
  const made: Resource = { ...createResource(root, [source]), isExact, isGenerated: true }
  const [old] = all.find(currentId(made))
  const behavior = stringAt(entry, 'behavior') ?? 'create'
  if (!old && (behavior === 'merge' || behavior === 'replace'))
    throw new BuildFailure(source.file, `${kind} ${name} does not exist: nothing to ${behavior}`)
  if (old && behavior === 'create')
    throw new BuildFailure(source.file, `${kind} ${name} exists already: merge or replace it`)
  if (old) all.replace(old, { ...old, isExact: false, isGenerated: true })
  else all.add(made)
}

/** `KEY=value`; quotes around the value do not belong to it. */
function dataOf(literals: readonly Traced[], at: Place): Traced {
  const data = new Map<string, Traced>()
  for (const literal of literals) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(String(literal.value)) ?? []
    data.set(key, { ...literal, value: /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text })
  }
  return withMembers(madeAt({}, at), data)
}
