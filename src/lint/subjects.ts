/** What there is to judge in a world's texts. */
import type { Subject } from '../engine/finding.ts'
import type { Identity } from '../gateway/metadata.ts'
import type { PolicyView } from '../gateway/policy.ts'
import { buildWorld } from '../world/build.ts'
import { emptyHarvest, type Harvest, type Origin } from './objects.ts'

/** A subject that remembers where it was found. */
export type Located = Subject & { readonly origin: Origin }

const NOBODY = { kind: '', namespace: undefined, name: undefined }

/** Every subject of one world; `before` is the same world before the change. */
export function* subjectsOf(harvest: Harvest, before: Harvest | undefined, closedWorld: boolean): Iterable<Located> {
  const { policies, broken, partial } = harvest
  const known = policies.filter(isKnown).map(({ view }) => view)
  const knownBefore = before?.policies.filter(isKnown).map(({ view }) => view)
  const world = buildWorld({ ...harvest, policies: known }, { closed: closedWorld && !partial, before: knownBefore })
  /** Where names change before they reach the cluster, nobody can say whom a reference means. */
  const unnamed = buildWorld({ ...emptyHarvest(), policies: [], snippets: harvest.snippets }, { closed: false })
  const previous = knownBefore && indexUnique(knownBefore)
  for (const origin of broken) yield { kind: 'Document', view: origin.document, identity: NOBODY, origin, world }
  for (const { view, origin, known: isOurs } of policies) {
    const { identity } = view
    const kind = isOurs ? 'RateLimitPolicy' : 'UnknownVersion'
    const around = origin.source.renamed ? unnamed : world
    yield { kind, view, identity, origin, world: around, previous: previous?.(identity) }
  }
}

/** Finds a policy by namespace and name; one that stands there twice is not found. */
function indexUnique(policies: readonly PolicyView[]): (identity: Identity) => PolicyView | undefined {
  const index = new Map<string, PolicyView | undefined>()
  const keyOf = ({ namespace = '', name = '' }: Identity) => `${namespace}/${name}`
  for (const policy of policies) {
    const key = keyOf(policy.identity)
    index.set(key, index.has(key) ? undefined : policy)
  }
  return (identity) => (identity.name === undefined ? undefined : index.get(keyOf(identity)))
}

/** Policies that others may look up: of a version that we know, under the name that they will have. */
const isKnown = ({ origin, known }: Harvest['policies'][number]): boolean => known && !origin.source.renamed
