/** The kinds that are watched in a cluster, and their paths in the API. */
import type { KindTable } from '../../world/kinds.ts'
import type { Kind, Resource } from '../../world/system.ts'

/** A kind that the API server serves. */
export type WatchedKind = Kind & { readonly resource: Resource }

/** Every watched kind. Reading a cluster needs the rights `get`, `list` and `watch` on each of them. */
export const watchedKinds = ({ kinds }: Pick<KindTable, 'kinds'>): readonly WatchedKind[] =>
  kinds.flatMap((kind) => (kind.resource ? [{ ...kind, resource: kind.resource }] : []))

/** One object of a kind. */
export type OneObject = { readonly namespace: string; readonly name: string }

/** Some objects of a kind: one alone, which RBAC can grant by its name, or those with a label (`app=web`). */
export type Only = OneObject | { readonly name: string } | { readonly label: string }

/** The query that lists and watches no others. */
export function queryOf(only: Only | undefined): Readonly<Record<string, string>> {
  if (only === undefined) return {}
  return 'label' in only ? { labelSelector: only.label } : { fieldSelector: `metadata.name=${only.name}` }
}

/** The namespace that they are in; undefined for all. */
export const namespaceOf = (only: Only | undefined): string | undefined =>
  only && 'namespace' in only ? only.namespace : undefined

/** The path under which the API server lists the objects of a kind, in all namespaces or in one. */
export function pathOf({ group, resource: { version, plural } }: WatchedKind, namespace?: string): string {
  const base = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return namespace === undefined ? `${base}/${plural}` : `${base}/namespaces/${namespace}/${plural}`
}
