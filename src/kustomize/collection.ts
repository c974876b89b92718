/** Objects that a transformer changes one after the other, without a new list for each change. */
import { currentId, type Id, idKey, previousIds, type Resource } from './resource.ts'

/** Objects in their order. */
export type Collection = {
  all(): readonly Resource[]
  /** Those that have an identity, or had it before. */
  find(id: Id): readonly Resource[]
  add(resource: Resource): void
  /** Puts a resource in the place of another one, or takes that out. */
  replace(resource: Resource, by: Resource | undefined): void
}

export function createCollection(resources: readonly Resource[]): Collection {
  // A map keeps the order in which its keys came; what takes the place of another one keeps the key of that.
  const current = new Map<number, Resource>(resources.entries())
  const positions = new Map<Resource, number>([...resources.entries()].map(([position, one]) => [one, position]))
  let next = resources.length
  let byId: Map<string, Set<number>> | undefined
  const remember = (position: number, resource: Resource): void => {
    for (const id of idsOf(resource)) {
      const known = byId?.get(idKey(id))
      if (known) known.add(position)
      else byId?.set(idKey(id), new Set([position]))
    }
  }
  const put = (position: number, resource: Resource): void => {
    current.set(position, resource)
    positions.set(resource, position)
    remember(position, resource)
  }
  return {
    all: () => [...current.values()],
    find(id) {
      if (!byId) {
        byId = new Map()
        for (const [position, resource] of current) remember(position, resource)
      }
      const key = idKey(id)
      // One may have been renamed or taken out since.
      return [...(byId.get(key) ?? [])].flatMap((position) => {
        const resource = current.get(position)
        return resource && idsOf(resource).some((own) => idKey(own) === key) ? [resource] : []
      })
    },
    add(resource) {
      put(next, resource)
      next += 1
    },
    replace(resource, by) {
      const position = positions.get(resource)
      if (position === undefined) return
      positions.delete(resource)
      if (by) put(position, by)
      else current.delete(position)
    },
  }
}

const idsOf = (resource: Resource): readonly Id[] => [...previousIds(resource), currentId(resource)]
