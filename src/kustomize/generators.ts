/** ConfigMaps and Secrets that a kustomization generates, as far as others can copy values from them. */
import type { Json } from '../json/member.ts'
import { BuildFailure } from './failure.ts'
import { type Kustomization, listIn } from './kustomization.ts'
import { createResource, currentId, isSameId, previousIds, type Resource } from './resource.ts'
import { itemsOf, madeAt, memberOf, type Place, stringAt, type Traced, withMember } from './traced.ts'

const GENERATORS = [
  ['configMapGenerator', 'ConfigMap'],
  ['secretGenerator', 'Secret'],
] as const

/** The resources with those that generators make or change. */
export function applyGenerators(resources: readonly Resource[], kustomization: Kustomization): readonly Resource[] {
  let all = resources
  for (const [member, kind] of GENERATORS)
    for (const entry of listIn(kustomization, member)) all = generate(all, entry, kind, kustomization)
  return all
}

function generate(
  resources: readonly Resource[],
  entry: Traced,
  kind: string,
  { source }: Kustomization,
): readonly Resource[] {
  const name = stringAt(entry, 'name') ?? ''
  const namespace = stringAt(entry, 'namespace')
  const metadata: Json = { name, ...(namespace ? { namespace } : {}) }
  const literals = memberOf(entry, 'literals')
  const data = dataOf(kind === 'ConfigMap' && literals ? (itemsOf(literals) ?? []) : [], entry.at)
  const root = withMember(madeAt({ apiVersion: 'v1', kind, metadata }, entry.at), 'data', data)
  const isExact = kind === 'ConfigMap' && !['files', 'envs', 'env'].some((member) => memberOf(entry, member))
  const made: Resource = { ...createResource(root, [source]), isExact, isGenerated: true }
  const id = currentId(made)
  const old = resources.find((resource) =>
    [currentId(resource), ...previousIds(resource)].some((known) => isSameId(known, id)),
  )
  const behavior = stringAt(entry, 'behavior') ?? 'create'
  if (!old && (behavior === 'merge' || behavior === 'replace'))
    throw new BuildFailure(source.file, `${kind} ${name} does not exist: nothing to ${behavior}`)
  if (!old) return [...resources, made]
  if (behavior === 'create') throw new BuildFailure(source.file, `${kind} ${name} exists already: merge or replace it`)
  return resources.map((resource) => (resource === old ? { ...old, isExact: false, isGenerated: true } : resource))
}

/** `KEY=value`; quotes around the value do not belong to it. */
function dataOf(literals: readonly Traced[], at: Place): Traced {
  let data = madeAt({}, at)
  for (const literal of literals) {
    const [, key = '', text = ''] = /^([^=]*)=(.*)$/s.exec(String(literal.value)) ?? []
    data = withMember(data, key, { ...literal, value: /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text })
  }
  return data
}
