/** What there is to judge in a world's texts. */
import type { Subject } from '../engine/finding.ts'
import type { PolicyView } from '../gateway/objects/policy.ts'
import type { FoundPolicy, Harvest, Origin } from './objects.ts'
import { isKnown, lonelyWorld, worldOf } from './worlds.ts'

/** A subject that remembers where it was found. */
export type Located = Subject & { readonly origin: Origin }

/** The identity of what is no object. */
export const NOBODY = { kind: '', namespace: undefined, name: undefined }

/** Every subject of one world; `before` are the policies of the same world before the change. */
export function* subjectsOf(
  harvest: Harvest,
  before: readonly FoundPolicy[] | undefined,
  closedWorld: boolean,
): Iterable<Located> {
  const { policies, broken } = harvest
  const knownBefore = before?.filter(isKnown)
  const world = worldOf(harvest, { closed: closedWorld, before: knownBefore?.map(({ view }) => view) })
  /** Where names change before they reach the cluster, nobody can say whom a reference means. */
  const unnamed = lonelyWorld(harvest)
  const previousOf = knownBefore && matchVersions(policies.filter(isKnown), knownBefore)
  for (const origin of broken.filter(isJudged))
    yield { kind: 'Document', view: origin.document, identity: NOBODY, origin, world }
  for (const policy of policies) {
    const { view, origin, known } = policy
    if (!isJudged(origin)) continue
    const kind = known ? 'RateLimitPolicy' : 'UnknownVersion'
    const around = origin.source.renamed ? unnamed : world
    yield { kind, view, identity: view.identity, origin, world: around, previous: previousOf?.(policy) }
  }
}

const isJudged = ({ source }: Origin): boolean => source.unjudged !== true

/**
 * Finds the previous version of a policy, by namespace and name, wherever it stood. Where an identity stands several
 * times, as in a repository of several clusters, only the one of the same file is certainly the same policy.
 */
function matchVersions(
  now: readonly FoundPolicy[],
  before: readonly FoundPolicy[],
): (policy: FoundPolicy) => PolicyView | undefined {
  const [today, former] = [groupByIdentity(now), groupByIdentity(before)]
  return (policy) => {
    const key = keyOf(policy)
    const [namesakes, candidates] = [today.get(key) ?? [], former.get(key) ?? []]
    if (!namesakes.includes(policy)) return undefined
    return (
      onlyOne(namesakes, candidates) ?? onlyOne(namesakes.filter(inFileOf(policy)), candidates.filter(inFileOf(policy)))
    )?.view
  }
}

/** The one candidate, where neither it nor whom it is for could be mistaken for another. */
const onlyOne = (namesakes: readonly FoundPolicy[], candidates: readonly FoundPolicy[]): FoundPolicy | undefined =>
  namesakes.length === 1 && candidates.length === 1 ? candidates[0] : undefined

const inFileOf =
  ({ origin }: FoundPolicy) =>
  (other: FoundPolicy): boolean =>
    other.origin.source.file === origin.source.file

const keyOf = ({ view: { identity } }: FoundPolicy): string => `${identity.namespace ?? ''}/${identity.name}`

/** Policies without a name are no version of any. */
function groupByIdentity(policies: readonly FoundPolicy[]): ReadonlyMap<string, readonly FoundPolicy[]> {
  const groups = new Map<string, FoundPolicy[]>()
  for (const policy of policies) {
    if (policy.view.identity.name === undefined) continue
    const group = groups.get(keyOf(policy))
    if (group) group.push(policy)
    else groups.set(keyOf(policy), [policy])
  }
  return groups
}
