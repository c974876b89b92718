/** The objects around a subject as lookups, and worlds as they would be after a change. Surfaces build it, rules use it. */
import { cachedBy, lazily, shortLived } from './cache.ts'
import { NAMESPACES, type Namespaces } from './namespaces.ts'
import {
  type Change,
  changedObjects,
  type Definitions,
  noObjects,
  type ObjectsByKind,
  objectsByKind,
} from './objects.ts'
import type { LookupSpec, Lookups, System } from './system.ts'

/** Lookups that every world has. */
export type BaseLookups = {
  readonly namespaces: Namespaces
  /** What the manifests define more than once; nothing where a cluster stores the objects. */
  readonly definitions: Pick<Definitions, 'earlier' | 'isRepeated' | 'mayBeApart'>
}

/** Which objects a rule may call defined twice does not depend on one kind: manifests do not change while they are judged. */
const DEFINITIONS: LookupSpec<BaseLookups['definitions']> = {
  kinds: [],
  needsClosedWorld: true,
  make: ({ definitions }) => definitions ?? NEVER_TWICE,
}

const NEVER_TWICE: BaseLookups['definitions'] = {
  earlier: () => undefined,
  isRepeated: () => false,
  mayBeApart: () => undefined,
}

/** The lookups of a world. `Own` are those of the system that asks. */
export type World<Own extends object = Lookups> = {
  readonly lookups: Own & BaseLookups
  /** The world after a change of one object. Costs little: lookups of other kinds stay the same. */
  with(change: Change): World<Own>
  /** The world without the names of other tenants' namespaces; the same world each time. */
  forTenant(): World<Own>
  /** The world as a release of its product knows it; the same world each time. */
  forRelease(release: string): World<Own>
}

/** The lookups that systems register, by name. Throws where two register one name. */
export const lookupSpecs = cachedBy(
  (systems: readonly { readonly name: string; readonly lookups: object }[]): ReadonlyMap<string, LookupSpec> => {
    const specs = new Map<string, LookupSpec>([
      ['namespaces', NAMESPACES],
      ['definitions', DEFINITIONS],
    ])
    for (const { name: system, lookups } of systems)
      for (const [name, spec] of Object.entries(lookups)) {
        if (specs.has(name)) throw new Error(`the lookup "${name}" of the system "${system}" is registered already`)
        specs.set(name, spec)
      }
    return specs
  },
)

/** Makes worlds of successive states of the objects: a lookup none of whose kinds has changed stays the same. */
export function createWorldMaker<Own extends object = Lookups>(
  systems: readonly System<Own>[],
): (objects: ObjectsByKind) => World<Own> {
  const specs = lookupSpecs(systems)
  const last = new Map<string, { readonly inputs: readonly unknown[]; readonly lookup: unknown }>()
  return (objects) => {
    const lookups: Record<string, unknown> = {}
    for (const [name, spec] of specs) {
      const inputs = spec.kinds.map(objects.named)
      const before = last.get(name)
      const isSame = before && inputs.every((input, index) => input === before.inputs[index])
      const lookup = isSame ? before.lookup : spec.make(objects)
      last.set(name, { inputs, lookup })
      lookups[name] = lookup
    }
    return worldOf(specs, objects, lookups)
  }
}

/** A world of objects. */
export const createWorld = <Own extends object = Lookups>(
  systems: readonly System<Own>[],
  objects: ObjectsByKind,
): World<Own> => createWorldMaker(systems)(objects)

/** A world in which every lookup of another object is unknown. */
export const emptyWorld = <Own extends object = Lookups>(systems: readonly System<Own>[]): World<Own> =>
  createWorld(systems, NO_OBJECTS)

const NOTHING = noObjects(false)
const NO_OBJECTS = objectsByKind(() => NOTHING)

function worldOf<Own extends object>(
  specs: ReadonlyMap<string, LookupSpec>,
  objects: ObjectsByKind,
  lookups: Lookups,
): World<Own> {
  return {
    // Every lookup was made by the spec that its system registers under its name.
    lookups: lookups as World<Own>['lookups'],
    with(change) {
      const changed = objectsByKind((kind) =>
        kind === change.kind ? changedObjects(objects.named(kind), change) : objects.named(kind),
      )
      const next: Record<string, unknown> = { ...lookups }
      for (const [name, spec] of specs)
        if (spec.kinds.includes(change.kind))
          next[name] = shortLived(spec.overlay?.(next[name], change) ?? spec.make(changed))
      return worldOf(specs, changed, next)
    },
    forTenant: lazily(() => {
      const next: Record<string, unknown> = { ...lookups }
      for (const [name, { forTenant }] of specs) if (forTenant) next[name] = forTenant(next[name])
      return worldOf(specs, objects, next)
    }),
    forRelease: latest((release) => {
      const next: Record<string, unknown> = { ...lookups }
      for (const [name, { forRelease }] of specs) if (forRelease) next[name] = forRelease(next[name], release)
      return worldOf(specs, objects, next)
    }),
  }
}

/** Keeps what a function makes of the latest text. */
function latest<Value>(make: (text: string) => Value): (text: string) => Value {
  let known: { readonly text: string; readonly value: Value } | undefined
  return (text) => {
    if (known?.text !== text) known = { text, value: make(text) }
    return known.value
  }
}

/** What a cluster's watches know at one moment. */
export type ClusterView<Own extends object = Lookups> = {
  /** The same object for as long as nothing has changed. */
  readonly world: World<Own>
  /** True where every watch has listed all objects. */
  readonly synced: boolean
  /** The kinds of which objects may be missing: lookups of them return unknown. */
  readonly notSynced: readonly string[]
}
