/** The kinds that are watched in a cluster, and their paths in the API. */
import type { KindTable } from '../../world/kinds.ts'
import type { Kind, Resource } from '../../world/system.ts'

/** A kind that the API server serves. */
export type WatchedKind = Kind & { readonly resource: Resource }

/** Every watched kind. Reading a cluster needs the rights `get`, `list` and `watch` on each of them. */
export const watchedKinds = ({ kinds }: Pick<KindTable, 'kinds'>): readonly WatchedKind[] =>
  kinds.flatMap((kind) => (kind.resource ? [{ ...kind, resource: kind.resource }] : []))

/** The path under which the API server lists all objects of a kind. */
export const pathOf = ({ group, resource: { version, plural } }: WatchedKind): string =>
  group === '' ? `/api/${version}/${plural}` : `/apis/${group}/${version}/${plural}`
