/** Namespaces: every system needs them. */
import { isObject, type JsonObject } from '../json/member.ts'
import { knownNamespace, readIdentity, readMetadata } from '../kubernetes/metadata.ts'
import { cachedBy } from './cache.ts'
import { ABSENT, found, type Lookup, UNKNOWN } from './lookup.ts'
import type { KindObjects, ObjectView } from './objects.ts'
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

/** Makes the lookups of namespaces. Without a single Namespace object nothing is known, even in a closed world. */
export const NAMESPACES: LookupSpec<Namespaces> = {
  kinds: ['Namespace'],
  needsClosedWorld: true,
  make: (objects) => namespacesAmong(objects.of(NAMESPACE_KIND)),
}

/** The same lookups for the same objects: what depends on them is cached by them. */
const namespacesAmong = cachedBy(({ isEmpty, index, closed }: KindObjects<NamespaceView>): Namespaces => {
  const get = (name: string): Lookup<NamespaceView> => {
    if (knownNamespace(name) === undefined) return UNKNOWN
    const item = index().get('Namespace', '', name)
    if (item.state === 'found' || index().has('Namespace', '', name)) return item
    return closed && !isEmpty ? ABSENT : UNKNOWN
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
})
