/** Namespaces: every system needs them. */
import { isObject, type JsonObject } from '../json/member.ts'
import { knownNamespace, readIdentity, readMetadata } from '../kubernetes/metadata.ts'
import { cachedBy } from './cache.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from './lookup.ts'
import type { ObjectView } from './objects.ts'
import type { Kind, LookupSpec } from './system.ts'

/** Lookups of namespaces. */
export type Namespaces = {
  /** The labels of a namespace. */
  labels(name: string): Lookup<Readonly<Record<string, string>>>
  /** Creation time in milliseconds since 1970; unknown where the object has none. */
  createdAt(name: string): Lookup<number>
}

type NamespaceView = ObjectView & {
  readonly labels: Readonly<Record<string, string>>
  /** Milliseconds since 1970, or NaN. */
  readonly createdAt: number
}

/** The kind, which lives in no namespace itself. */
export const NAMESPACE_KIND: Kind<NamespaceView> = {
  kind: 'Namespace',
  group: '',
  resource: { version: 'v1', plural: 'namespaces', namespaced: false, optional: false },
  keepsName: true,
  read(object) {
    const metadata = readMetadata(object)
    return {
      object,
      identity: { ...readIdentity('Namespace', metadata), namespace: '' },
      labels: labelsOf(object),
      createdAt: Date.parse(metadata.creationTimestamp.value ?? ''),
    }
  },
}

function labelsOf({ metadata }: JsonObject): Readonly<Record<string, string>> {
  const labels = isObject(metadata) ? metadata.labels : undefined
  if (!isObject(labels)) return {}
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

const indexed = cachedBy((items: readonly NamespaceView[]) => {
  const byName = new Map<string | undefined, NamespaceView | 'twice'>()
  for (const item of items) byName.set(item.identity.name, byName.has(item.identity.name) ? 'twice' : item)
  return byName
})

/** Makes the lookups of namespaces. Without a single Namespace object nothing is known, even in a closed world. */
export const NAMESPACES: LookupSpec<Namespaces> = {
  kinds: ['Namespace'],
  needsClosedWorld: true,
  make(objects) {
    const { all, closed } = objects.of(NAMESPACE_KIND)
    const get = (name: string): Lookup<NamespaceView> => {
      if (knownNamespace(name) === undefined) return UNKNOWN
      const items = all()
      const item = indexed(items).get(name)
      if (item) return item === 'twice' ? UNKNOWN : found(item)
      return closed && items.length > 0 ? ABSENT : UNKNOWN
    }
    return {
      labels(name) {
        const lookup = get(name)
        return lookup.state === 'found' ? found(lookup.value.labels) : lookup
      },
      createdAt(name) {
        const lookup = get(name)
        if (lookup.state !== 'found') return lookup
        return Number.isNaN(lookup.value.createdAt) ? UNKNOWN : found(lookup.value.createdAt)
      },
    }
  },
}
